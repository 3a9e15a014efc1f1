/** The version in the package.json of this package. */
export const CLIENT_VERSION = '0.9.0';
