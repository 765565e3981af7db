// What others see of objects whose state is private: comparisons, `console.log` and JSON.

const INSPECT = Symbol.for("nodejs.util.inspect.custom");

/** An own property that shows private state: comparisons see no other state. */
export function getter(read) {
	return {
		__proto__: null,
		get() {
			return read(this);
		},
		enumerable: true,
	};
}

/** The property of a value that is equal to another one if their texts are equal. */
export const TEXT = { text: getter(String) };

/** Makes Node.js, Bun and Deno print the objects of a class with their own properties. */
export function inspectable(Class, shown = (object) => ({ ...object })) {
	define(Class.prototype, INSPECT, function (_, options, inspect) {
		return inspect ? `${Class.name} ${inspect(shown(this), options)}` : shown(this);
	});
}

/** Gives the errors of a class a name that a subclass can replace, and JSON. */
export function defineError(Class) {
	define(Class.prototype, "name", Class.name);
	define(Class.prototype, "toJSON", function () {
		return { ...toJSON(this), ...toJSON({ error: this }).error };
	});
}

/** Lets `JSON.stringify` write an object that has bigints or an error. */
export function withJSON(object) {
	return define(object, "toJSON", function () {
		return toJSON(this);
	});
}

/** A copy for JSON: a bigint becomes its digits, an error its name and message, what JSON cannot write its type. */
export function toJSON(object) {
	return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, plain(value)]));
}

function plain(value) {
	if (typeof value === "bigint") {
		return `${value}`;
	}
	// Not only `instanceof`: the error may come from another realm.
	const type = Object.prototype.toString.call(value);
	if (value instanceof Error || type === "[object Error]") {
		return { name: value.name, message: value.message };
	}
	try {
		JSON.stringify(value);
		return value;
	} catch {
		return type;
	}
}

/** Defines a property as classes define their methods. */
export function define(object, name, value) {
	return Object.defineProperty(object, name, { __proto__: null, value, writable: true, configurable: true });
}
