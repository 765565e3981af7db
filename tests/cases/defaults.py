"""The defaults of a program, call by call (SPEC 18.8)."""

from reference import defaults, streams, strings
from reference.operations import Operation

from cases.table import rows


def options_of(words):
    """Such as `policy=1ms/2 enabled=no hook=a`: the policy waits 1 ms before each of 2 retries."""
    options = {}
    for word in words:
        name, value = word.split("=")
        match name:
            case "policy":
                wait, retries = value.split("/")
                options[name] = f"constant:base={wait},max_retries={retries}"
            case "enabled":
                options[name] = value == "yes"
            case "hook":
                options[name] = value
            case _:
                options[name] = int(value)
    return options


def waits_of(policy, fields):
    """The waits of a loop whose calls all fail."""
    head, *rest = (policy or "default:").split(",")
    text = ",".join([head, *(f"{name}={value}" for name, value in fields.items())] if fields else [head, *rest])
    operation, waits = Operation(strings.parse("policy", text.replace(":,", ":")), streams.stream(0, None), 0), []
    while (decision := operation.outcome("transient", 0))[0] == "wait":
        waits.append(decision[1])
    return waits


def default_cases():
    for id, why, *lines in rows(TABLE):
        program, steps = defaults.Program(), []
        for line in lines:
            do, *words = line.split()
            step = {"do": do}
            if do != "loop":
                step["call"] = int(words.pop(0))
            if do != "restore":
                step["options"] = options_of(words)
            match do:
                case "set":
                    program.set(step["call"], step["options"])
                case "restore":
                    program.restore(step["call"])
                case "loop":
                    policy, fields, enabled, hooks = program.loop(step["options"])
                    waits = waits_of(policy, fields) if enabled else []
                    called = [f"retry {hook}" for _ in waits for hook in hooks]
                    called += [f"stop {hook}" for hook in hooks]
                    step |= {"waits": list(map(str, waits)), "hooks": called}
            steps.append(step)
        yield {"id": id, "why": why, "steps": steps}


# What a program does, a step a cell. The number is that of a call of set_defaults.
TABLE = """
one | a policy and hooks, before those of the loop | set 1 policy=1ms/2 hook=program | loop | loop hook=own
    | loop policy=2ms/1 | restore 1 | loop policy=3ms/1 hook=own
hooks | all hooks run, in the order of the calls | set 1 hook=library | set 2 hook=program policy=1ms/1 | set 3 hook=test
    | loop hook=own | restore 2 | loop policy=2ms/1 hook=own | restore 1 | loop max_retries=0 | restore 3 | loop max_retries=0
policies | the last policy counts, until it is taken back | set 1 policy=1ms/1 | set 2 policy=2ms/2 | loop | restore 1 | loop
    | set 3 policy=3ms/1 | loop | restore 3 | loop | restore 2 | loop policy=4ms/1
twice | taking back a second time changes nothing | set 1 policy=1ms/1 | set 2 policy=2ms/1 hook=b | restore 2 | restore 2
    | loop | restore 1 | restore 1 | loop max_retries=0
off | no retries, whatever the policy, and all hooks | set 1 enabled=no hook=a | loop policy=1ms/3 | set 2 policy=2ms/2 hook=b
    | loop hook=own | restore 1 | loop hook=own
on-again | the last call that names it counts | set 1 enabled=no | set 2 policy=1ms/1 | loop | set 3 enabled=yes | loop
    | set 4 enabled=no | loop | restore 4 | loop | restore 3 | loop | restore 1 | loop
own-field | fields of a loop change the policy of the defaults | set 1 policy=1ms/3 | loop max_retries=1 | loop max_attempts=3
    | loop policy=2ms/2 | restore 1 | loop policy=2ms/5 max_retries=1
fields | fields change the policy that is named before them | set 1 policy=1ms/3 | set 2 max_retries=1 | loop
    | loop max_retries=2 | loop policy=2ms/4 | restore 1 | restore 2 | loop max_retries=0
fields-first | a policy takes the place of the fields before it | set 1 max_retries=1 | set 2 policy=1ms/3 | loop | restore 2
    | loop policy=2ms/2 | set 3 policy=3ms/2 max_retries=4 | loop | restore 1 | loop
attempts | a count takes the place of the other one | set 1 policy=1ms/5 max_retries=4 | set 2 max_attempts=3 | loop
    | set 3 max_retries=1 | loop | restore 2 | loop | loop max_attempts=2 | restore 3 | loop
"""
