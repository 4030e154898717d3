import { EngineError } from '#contract';
import { changeSetting } from '../../../actions/set-up/change-setting.ts';
import { loadConfigs } from '../../../config/load.ts';
import { ConfigError } from '../../../config/problems/problem.ts';
import { SETTINGS_FILES, settingsSchema } from '../../../config/reference/settings.ts';
import { hashOfSettings, planChange } from '../../../config/writing/change.ts';
import { FILE_NAMES, fileNamed, isSettingsName, pathNamed, valueTyped } from '../../../config/writing/named-setting.ts';
import { keyOf } from '../../../config/writing/settings.ts';
import { runningGateway } from '../../../queries/gateway/running.ts';
import { crashPointsOf } from '../../../workspace.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { changesShown } from '../../text/changes.ts';

const NAMES = Object.keys(SETTINGS_FILES);

const show = defineCommand({
  name: 'config show',
  summary: 'What is in force, with the default of every key that no file sets',
  arguments: [['[file]', 'gateway, security, inference, context, system or extensions; all of them by default']],
  async run({ root }, { args: [file] }) {
    const { configs, problems } = loadConfigs(root);
    if (!configs) throw new ConfigError(problems);
    if (file === undefined) return { config: configs };
    const found = Object.entries(configs).find(([name]) => name === file);
    if (!found) throw new EngineError('usage', `the file is one of ${Object.keys(configs).join(', ')}`);
    return { config: found[1] };
  },
  text: ({ config }) => JSON.stringify(config, null, 2),
});

const schema = defineCommand({
  name: 'config schema',
  summary: 'The JSON Schema of a file, by which an editor completes and checks it',
  arguments: [['<file>', NAMES.join(', ')]],
  async run(_context, { args: [file] }) {
    if (!isSettingsName(file)) throw new EngineError('usage', `the file is one of ${NAMES.join(', ')}`);
    return { file: SETTINGS_FILES[file].file, schema: settingsSchema(file) };
  },
  text: ({ schema: found }) => JSON.stringify(found, null, 2),
});

function orNull<Opened>(open: () => Opened): Opened | null {
  try {
    return open();
  } catch {
    return null;
  }
}

const set = defineCommand({
  name: 'config set',
  summary: 'Change one setting; all others stay, and what would be wrong is not written',
  arguments: [
    ['<file>', `${FILE_NAMES.join(', ')}, or persona/<id>`],
    ['<key>', 'with dots; entries of lists by their names; a key that has a dot itself as a JSON list'],
    ['[value]', 'JSON, else a text'],
  ],
  options: { unset: { flags: '--unset', about: 'take it out, so that its default is in force' } },
  examples: [
    ['config set gateway mailboxes.main.imap.port 993', 'the mailbox main, wherever it stands'],
    ['config set security approvals.ttl_hours --unset', 'the default again'],
    ['config set inference \'["prices","openai/gpt-4.1"]\' \'{"input":2,"output":8}\'', 'a key with a dot in it'],
  ],
  async run({ root, settings, open, note }, { args: [name, key, value], options: { unset = false } }) {
    if ((value === undefined) !== unset) throw new EngineError('usage', 'say what it is to be, or --unset');
    const setting = {
      file: fileNamed(root, name),
      path: pathNamed(key),
      to: value === undefined ? undefined : valueTyped(value),
    };
    // Also where a file is wrong, or leads to data that cannot be opened: this mends it.
    const workspace = orNull(() => open({ tolerant: true }));
    if (workspace === null) {
      note('It stands on no record, and nobody is told: the data cannot be opened.');
      const change = planChange(root, { settings: [setting] }, crashPointsOf(settings));
      change.write();
      return { changes: change.changes.map((one) => ({ ...one, key: keyOf(one) })) };
    }
    const sha256 = hashOfSettings(root, setting.file);
    const isAtWork = runningGateway(workspace) !== null;
    const changes = await changeSetting(workspace, { setting, sha256 }, { by: 'cli', isAtWork });
    return { changes: changes.map((one) => ({ ...one, key: keyOf(one) })) };
  },
  json: ({ changes }) => ({
    changes: changes.map(({ file, key, from, to }) => ({ file, key, from: from ?? null, to: to ?? null })),
  }),
  text: ({ changes }, { columns = 100 }) =>
    changes.length === 0
      ? 'It is so already.'
      : [...changesShown(changes, columns), 'A running gateway takes it up within two seconds.'].join('\n'),
});

export const config: Group = {
  name: 'config',
  summary: 'Settings in force, and what they may be',
  commands: [show, set, schema],
};
