import { aboutSetting } from '../../../config/reference/about-settings.ts';
import { SETTINGS_FILES, type SettingKey, type SettingsName, settingsOf } from '../../../config/reference/settings.ts';

const NAMES: readonly SettingsName[] = [
  'gateway',
  'persona',
  'security',
  'inference',
  'context',
  'system',
  'extensions',
];

/** `docs/settings.md`, from the schemas by which the files are checked. */
export function settingsPage(): string {
  return [
    '# Settings',
    '',
    'Every key of every file, made from the schemas by which the gateway checks them. A key that is left out has the',
    'value under *default*; a file that is left out is `{}`; a key that stands in no schema is an error that names the',
    'nearest one. Changes take effect within two seconds, and a file that went wrong leaves the last good version in',
    'force. `[]` stands for each entry of a list, `<name>` for a name of your own.',
    '',
    '`epistle config show` prints what is in force, `epistle config schema gateway` the JSON Schema of a file. An editor',
    'completes and checks a file whose first key is `"$schema"` with the path of that. `init` and `setup` write the schemas',
    'into `.schemas` of the folder `configs`, each new file names its own, and the gateway renews them after an upgrade.',
    ...NAMES.flatMap(sectionOf),
    '',
  ].join('\n');
}

const sectionOf = (name: SettingsName): string[] => [
  '',
  `## ${SETTINGS_FILES[name].file}`,
  '',
  '| key | for | takes | default |',
  '| --- | --- | --- | --- |',
  ...settingsOf(name).map(rowOf),
];

const rowOf = ({ key, takes, standard, required }: SettingKey): string =>
  `| ${[`\`${key}\``, aboutSetting(key), cell(short(takes)), required ? '**required**' : standardOf(standard)].join(' | ')} |`;

const standardOf = (standard: string | null): string => (standard === null ? '' : `\`${cell(standard)}\``);

const cell = (text: string): string => text.replaceAll('|', '\\|');

const MOST = 160;
const short = (text: string): string => (text.length > MOST ? `${text.slice(0, MOST)}…` : text);
