import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EngineError } from '#contract';
import { refusal } from '../../../actions/refusal.ts';
import { packageVersion, programFile } from '../../../app/version.ts';
import { askRegistry, isNewer, type Newest } from '../../../service/newest-version.ts';
import { defineCommand } from '../../command/define.ts';

const PACKAGE = 'epistle';

const WHY: Readonly<Record<Exclude<Newest['state'], 'found' | 'unreachable'>, string>> = {
  another: 'the registry that npm asks has another program under this name',
  absent: 'the registry that npm asks does not have this package',
  no_npm: 'npm, which knows the registry, is not here',
};

export const update = defineCommand({
  name: 'update',
  summary: 'Whether there is a newer version, and what to type for it; nothing is changed',
  options: {
    check: { flags: '--check', about: 'ask the registry that npm is set up with; nothing else ever asks it' },
  },
  withoutWorkspace: true,
  async run({ settings }, { options: { check } }) {
    if (!check)
      throw new EngineError(
        'usage',
        '`epistle update --check` asks the registry and says what to type for a newer version; nothing is updated by itself',
      );
    const version = packageVersion();
    const newest = askRegistry(PACKAGE);
    const own = `this is ${version}`;
    if (newest.state === 'unreachable')
      return refusal('network', `the registry cannot be reached (${newest.code}), so nothing is known; ${own}`);
    if (newest.state !== 'found') return refusal('not_found', `${WHY[newest.state]}; ${own}`);
    const newer = isNewer(newest.version, version);
    return {
      version,
      newest: newest.version,
      newer,
      commands: newer ? commandsFor(newest.version, settings.program) : [],
    };
  },
  text: ({ version, newest, newer, commands }) =>
    newer
      ? [
          `${newest} is there; this is ${version}. Type:`,
          ...commands.map((command) => `  ${command}`),
          'Then start the gateway again. If it has to change its databases, it copies the workspace first.',
        ].join('\n')
      : `This is the newest version (${version}).`,
});

/** As it was installed. */
function commandsFor(version: string, program: string): readonly string[] {
  const checkout = dirname(dirname(programFile()));
  if (existsSync(join(checkout, '.git'))) return [`git -C '${checkout.replaceAll("'", String.raw`'\''`)}' pull`];
  return [
    program.startsWith('npx ') ? `npx ${PACKAGE}@${version} version` : `npm install --global ${PACKAGE}@${version}`,
  ];
}
