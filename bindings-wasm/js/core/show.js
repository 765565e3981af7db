// What others see of objects whose state is private: comparisons, `console.log` and JSON.

const INSPECT = /* @__PURE__ */ Symbol.for("nodejs.util.inspect.custom");

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
export const TEXT = { text: /* @__PURE__ */ getter(String) };

/** Makes Node.js, Bun and Deno print the objects of a class with their own properties. */
export function inspectable(Class, shown = (object) => ({ ...object })) {
	define(Class.prototype, INSPECT, function (_, options, inspect) {
		return inspect ? `${Class.name} ${inspect(shown(this), options)}` : shown(this);
	});
}

/** Gives a class a name that no bundler changes, and shows its objects. The call is pure, unlike a static block. */
export function named(name, Class, shown = undefined) {
	define(Class, "name", name);
	inspectable(Class, shown);
	return Class;
}

/** A class of errors with a name that no bundler changes and a subclass can replace, and with JSON. */
export function defineError(name, Class) {
	define(Class, "name", name);
	define(Class.prototype, "name", name);
	define(Class.prototype, "toJSON", function () {
		return { ...toJSON(this), ...toJSON({ error: this }).error };
	});
	return Class;
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
	let type = "[object Object]";
	try {
		// Not only `instanceof`: the error may come from another realm.
		type = Object.prototype.toString.call(value);
		if (value instanceof Error || type === "[object Error]") {
			return { name: value.name, message: value.message };
		}
		return value !== undefined && JSON.stringify(value) === undefined ? type : value;
	} catch {
		return type;
	}
}

/** Defines a property as classes define their methods. */
export function define(object, name, value) {
	return Object.defineProperty(object, name, { __proto__: null, value, writable: true, configurable: true });
}
