// Types of backoff-wasm/axios.

import type { AxiosAdapter, AxiosRequestConfig, AxiosResponse, InternalAxiosRequestConfig } from "axios";
import type { HttpRetriesOptions, HttpWaitOptions } from "../index.js";

declare module "axios" {
	// biome-ignore lint/suspicious/noExplicitAny: the parameters of an interface must be the same everywhere.
	interface AxiosRequestConfig<D = any> {
		/**
		 * For `backoff-wasm/axios`: whether this request may be repeated; `null` and `undefined` leave it to the
		 * options.
		 */
		retry?: boolean | null | undefined;
	}
}

/** The options of {@link retryingAdapter}. */
export interface RetryingAdapterOptions
	extends HttpRetriesOptions<InternalAxiosRequestConfig, AxiosResponse>,
		HttpWaitOptions {
	/**
	 * The adapter that makes the attempts. Default: that of `axios.defaults`. In place of an adapter of this package, the
	 * one that it calls makes them, because otherwise both would repeat a request.
	 */
	readonly adapter?: AxiosRequestConfig["adapter"];
}

/**
 * An adapter for `axios.create({ adapter })`, which repeats requests by a policy (SPEC 19). If the retries end, the
 * last response or the last `AxiosError` is what axios makes of it without retries.
 * @throws {PolicyError} an invalid policy string or budget string.
 * @throws {RangeError} a method or a status that does not exist.
 * @throws {TypeError} an unknown option, or one of the wrong type.
 */
export function retryingAdapter(options?: RetryingAdapterOptions): AxiosAdapter;
