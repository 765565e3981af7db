"""Clause 18.8: the defaults of a program, which add up."""

#: Fields of which a policy cannot have both.
EXCLUDED = {"max_attempts": "max_retries", "max_retries": "max_attempts"}


class Program:
    """The options that calls of set_defaults have set and nobody has taken back, the first ones first."""

    def __init__(self):
        self.calls = {}

    def set(self, call, options):
        self.calls[call] = options

    def restore(self, call):
        self.calls.pop(call, None)

    def loop(self, own):
        """What a loop with its own options uses: the policy, the fields that change it, whether retries
        are enabled, and its hooks in their order."""
        policy, fields, enabled, hooks = None, {}, True, []
        for options in (*self.calls.values(), own):
            if "policy" in options:
                policy, fields = options["policy"], {}
            for field in ("max_retries", "max_attempts"):
                if field in options:
                    fields.pop(EXCLUDED[field], None)
                    fields[field] = options[field]
            enabled = options.get("enabled", enabled)
            hooks += [options["hook"]] if "hook" in options else []
        return policy, fields, enabled, hooks
