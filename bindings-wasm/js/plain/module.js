// This core needs no start, so it cannot fail to (SPEC 18.7).

export const startFailure = undefined;
export const ifStarted = (step) => step();
