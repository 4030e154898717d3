import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node';
import { DID_NOT_END, type FileReport, type TestReport } from './test-counts.ts';

/**
 * Vitest's own JSON report knows neither what failed around the tests of a file (a hook, an error that nobody caught) nor
 * where. This one writes all of it to `--outputFile`.
 */
export default class TestReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], uncaught: readonly SerializedError[]): void {
    const { root = '', outputFile } = this.#vitest?.config ?? {};
    if (typeof outputFile !== 'string') throw new Error('--outputFile says where the report goes');
    const isOf = (module: TestModule) => (error: SerializedError) => error.VITEST_TEST_PATH === module.moduleId;
    const report: TestReport = {
      files: modules.map((module) => fileReport(module, root, uncaught.filter(isOf(module)))),
      uncaught: uncaught.filter((error) => !modules.some((module) => isOf(module)(error))).map(firstLine),
    };
    writeFileSync(outputFile, JSON.stringify(report));
  }
}

function fileReport(module: TestModule, root: string, uncaught: readonly SerializedError[]): FileReport {
  const around = [module.errors(), ...[...module.children.allSuites()].map((suite) => suite.errors()), uncaught].flat();
  const hasEnded = module.state() !== 'pending' && module.state() !== 'queued';
  return {
    file: relative(root, module.moduleId),
    around: hasEnded ? around.map(firstLine) : [...around.map(firstLine), DID_NOT_END],
    tests: [...module.children.allTests()].map((test) => {
      const { state, errors } = test.result();
      const [error] = errors ?? [];
      return { name: test.fullName, state, error: error ? firstLine(error) : null };
    }),
  };
}

/** An assertion that was waited for says only in its cause what it was. */
function firstLine({ name, message, cause }: SerializedError): string {
  const [line = ''] = message.split('\n');
  const own = name === undefined || name === 'Error' || name === 'AssertionError' ? line : `${name}: ${line}`;
  return cause?.message ? `${own} (${cause.message.split('\n', 1)[0]})` : own;
}
