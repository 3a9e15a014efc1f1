/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A parsed expression. */
export type Expression = { readonly kind: string };
