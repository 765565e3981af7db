"""Short ways to write policies."""


def dump(policy):
    """A policy as it stands in a file: every value is a string."""
    return {
        field: "/".join(map(str, value)) if isinstance(value, tuple) else str(value) for field, value in policy.items()
    }


def constant(base, **more):
    return {"growth": "constant", "base": base, **more}


def linear(base, **more):
    return {"growth": "linear", "base": base, **more}


def exponential(base, **more):
    return {"growth": "exponential", "base": base, **more}


def polynomial(base, **more):
    return {"growth": "polynomial", "base": base, **more}


def fibonacci(base, **more):
    return {"growth": "fibonacci", "base": base, **more}
