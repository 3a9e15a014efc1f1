export default {
  // Node itself loads tests and sources, which takes a fraction of the time.
  testEnvironment: '<rootDir>/packages/testing/src/native-jest/environment.ts',
  runtime: '<rootDir>/packages/testing/src/native-jest/runtime.ts',
  transform: {},
  testMatch: ['**/test/**/*.test.ts', '<rootDir>/e2e/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/'],
  globalSetup: '<rootDir>/packages/testing/src/global-setup.ts',
  globalTeardown: '<rootDir>/packages/testing/src/global-teardown.ts',
  // Beside the packages, not in the machine's /tmp.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  // A limit makes Jest use a worker process for one file too. Tests look for leaks among their process's children, and the
  // stack's servers are children of the process that runs the whole.
  workerIdleMemoryLimit: '1GB',
  // Only against a hang: on a busy machine, LibreOffice alone needs 20 s to start.
  testTimeout: 180_000,
};
