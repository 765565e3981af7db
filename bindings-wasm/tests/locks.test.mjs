import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { LOCKS, withAPackageALine } from "../locks.mjs";

test("lock files have a package a line, as `npm run locks` writes them", () => {
	for (const path of LOCKS) {
		const text = readFileSync(path, "utf8");
		assert.equal(withAPackageALine(text), text, path);
	}
});
