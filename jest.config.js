export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } },
    ],
  },
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  testMatch: ['**/test/**/*.test.ts', '<rootDir>/e2e/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/'],
  globalSetup: '<rootDir>/packages/testing/src/global-setup.ts',
  globalTeardown: '<rootDir>/packages/testing/src/global-teardown.ts',
  // Beside the packages, not in the machine's /tmp.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  // A limit makes Jest use a worker process for one file too: tests look for leaks among their process's children, and
  // the stack's servers are children of the process that runs the whole.
  workerIdleMemoryLimit: '1GB',
  // Only against a hang: on a busy machine, LibreOffice alone needs 20 s to start.
  testTimeout: 180_000,
};
