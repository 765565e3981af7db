/** The name of the option for a field: `maxRetries` for `max_retries`. */
export const optionOf = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
