/** The version of this package, as its package.json has it. */
export const CLIENT_VERSION = '0.9.0';
