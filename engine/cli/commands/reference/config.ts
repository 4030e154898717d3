import { EngineError } from '#contract';
import { loadConfigs } from '../../../config/load.ts';
import { ConfigError } from '../../../config/problems/config-error.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { SETTINGS_FILES, type SettingsName, settingsSchema } from './settings.ts';

const NAMES = Object.keys(SETTINGS_FILES);
const isName = (text: string): text is SettingsName => Object.hasOwn(SETTINGS_FILES, text);

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
    if (!isName(file)) throw new EngineError('usage', `the file is one of ${NAMES.join(', ')}`);
    return { file: SETTINGS_FILES[file].file, schema: settingsSchema(file) };
  },
  text: ({ schema: found }) => JSON.stringify(found, null, 2),
});

export const config: Group = {
  name: 'config',
  summary: 'Settings in force, and what they may be',
  commands: [show, schema],
};
