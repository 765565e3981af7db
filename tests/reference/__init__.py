"""SPEC.md as a program: exact integers, the standard library, clause by clause.

Every implementation is tested against it, so it shares no code with any of them. A policy is a
dict of the fields that are set: kinds are names or numbers, durations and counts are integers,
ratios are pairs (numerator, denominator).

numbers     1, 2, 4        durations, ratios, draws, samples
streams     3              SipHash
fields      5.1, 15.1      the tables of fields
delays      5.2 to 7       growth, window, jitter, cap, floor
sequences   9              iterators
errors      8.1, 8.6 to 8.9 codes, messages, the text of values
policies    8.2 to 8.5     which policies are valid
values      11.4           the values of policy strings
presets     12, 15.1       the strings of presets
budget_fields 15.1, 15.2   which budgets are valid
budgets     15.3           which retries a budget grants
parse_error 11.7           the errors of strings
strings     11.1 to 11.6   parsing of policy and budget strings
printing    11.8           their canonical form
operations  13             decisions
retry_after 14             HTTP headers and statuses
preview     16             preview and fitting
stats       17             counts of operations
http_client 19             requests of HTTP clients
"""
