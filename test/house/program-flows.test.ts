import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { importsOf, root, sourcesIn } from './sources.ts';

const flows = sourcesIn(['test/flow'], /\.ts$/);
/** Ways to a gateway in a process of its own, and the rigs that go one of them for whoever imports them. */
const LAUNCHES = /\b(?:launchGateway|launchOffice|launchAdmission)\(|\.launch\(/;
const LAUNCHING_RIGS = ['test/flow/crash-story.ts', 'test/flow/failing-rig.ts'];
const OFFERING_RIGS = ['test/flow/gateway.ts', 'test/flow/governance-rig.ts', 'test/flow/admission-rig.ts'];

const listed = (): readonly string[] =>
  readFileSync(join(root, 'test/flow/README.md'), 'utf8')
    .split('\n')
    .flatMap((line) => /^\| `([\w/-]+)` \| \S.* \|$/.exec(line)?.[1] ?? []);

it('every flow that launches a gateway stands in the list with what needs it, and nobody else does', () => {
  const launching = flows.filter(
    (source) =>
      source.path.endsWith('.test.ts') &&
      (LAUNCHES.test(source.text) || importsOf(source).some(({ to }) => LAUNCHING_RIGS.includes(to ?? ''))),
  );
  const names = launching.map(({ path }) => path.slice('test/flow/'.length, -'.test.ts'.length));
  expect(listed()).toEqual(names.toSorted());
});

it('no other rig launches one', () => {
  const rigs = flows.filter(({ path, text }) => !path.endsWith('.test.ts') && LAUNCHES.test(text));
  expect(rigs.map(({ path }) => path).toSorted()).toEqual([...LAUNCHING_RIGS, ...OFFERING_RIGS].toSorted());
});
