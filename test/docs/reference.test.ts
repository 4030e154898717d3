import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandsFor } from '../../engine/cli/commands/index.ts';
import { commandsPage } from '../../engine/cli/commands/reference/commands-page.ts';
import { completionScript } from '../../engine/cli/commands/reference/completion.ts';
import { settingsPage } from '../../engine/cli/commands/reference/settings-page.ts';
import { parseJson } from '../../engine/config/json-file.ts';
import { aboutSetting } from '../../engine/config/reference/about-settings.ts';
import { SETTINGS_FILES, settingsOf, settingsSchema } from '../../engine/config/reference/settings.ts';
import { root } from '../house/sources.ts';

const written = (name: string) => readFileSync(join(root, 'docs', name), 'utf8');
const names = Object.keys(SETTINGS_FILES) as (keyof typeof SETTINGS_FILES)[];

describe('the generated pages (write them anew: node scripts/write-reference.ts)', () => {
  it('docs/settings.md says what the schemas say', () => {
    expect(written('settings.md')).toBe(settingsPage());
  });

  it('docs/commands.md says what the commands declare', async () => {
    expect(written('commands.md')).toBe(commandsPage(await commandsFor([])));
  });

  it('say of every key what it is for', () => {
    const mute = names.flatMap((name) => settingsOf(name).map(({ key }) => `${name}: ${key}`));
    expect(mute.filter((one) => aboutSetting(one.slice(one.indexOf(' ') + 1)) === '')).toEqual([]);
  });
});

describe('the examples of a help', () => {
  const all = async () =>
    (await commandsFor([])).flatMap((entry) => ('commands' in entry ? [...entry.commands] : [entry]));

  it('are there for the commands that people use most', async () => {
    const shown = (await all()).filter(({ examples }) => examples.length > 0).map(({ name }) => name);
    expect(shown.length).toBeGreaterThanOrEqual(10);
    expect(shown).toEqual(expect.arrayContaining(['setup', 'start', 'send', 'why', 'mail list', 'outbox retry']));
  });

  it('are of their command, with options that it takes and all that it needs', async () => {
    for (const { name, examples, options, arguments: args } of await all()) {
      const flags = Object.values(options).map((one) => ({ ...one, name: one.flags.split(' ')[0] ?? '' }));
      const known = [...flags.map((one) => one.name), '--json'];
      for (const [typed] of examples) {
        const own = typed.replace(/^--workspace \S+ /, '');
        expect(own.startsWith(name), typed).toBe(true);
        const given = own.split(/"[^"]*"|\s/).filter((word) => word.startsWith('--'));
        for (const word of given) expect(known, typed).toContain(word);
        const needed = flags.filter(({ required }) => required).map((one) => one.name);
        expect(given, typed).toEqual(expect.arrayContaining(needed));
        const rest = own.slice(name.length).trim();
        const isArgumentNeeded = args.some((one) => (typeof one === 'string' ? one : one[0]).startsWith('<'));
        if (isArgumentNeeded) expect(rest.startsWith('--') || rest === '', typed).toBe(false);
      }
    }
  });
});

describe('a JSON Schema of a file', () => {
  it('demands nothing that has a default, knows every key, and lets a file name it', () => {
    expect(settingsSchema('gateway')).toMatchObject({ type: 'object', additionalProperties: false });
    expect(settingsSchema('gateway')).not.toHaveProperty('required');
    expect(settingsSchema('persona')).toMatchObject({ required: ['name', 'address'] });
    const read = parseJson('{ "$schema": "./gateway.schema.json", "domain": "x.test" }', 'configs/gateway.json');
    expect(read).toEqual({ state: 'json', value: { domain: 'x.test' } });
  });
});

describe('completion', () => {
  const complete = async (...words: string[]) => {
    const script = completionScript('bash', await commandsFor([]));
    const quoted = words.map((word) => `'${word}'`).join(' ');
    const line = `${script}\nCOMP_WORDS=(epistle ${quoted}); COMP_CWORD=${words.length}; _epistle; echo "\${COMPREPLY[@]}"`;
    return spawnSync('bash', ['-c', line], { encoding: 'utf8' }).stdout.trim().split(' ');
  };

  it('knows commands, their parts and their options', async () => {
    expect(await complete('st')).toEqual(['start', 'stop', 'status']);
    expect(await complete('runs', 're')).toEqual(['replay', 'resolve', 'retry']);
    expect(await complete('--workspace', 'there', 'runs', 'list', '--l')).toEqual(['--limit']);
    expect(await complete('send', 'anything', '--sub')).toEqual(['--subject']);
  });

  it('is there for other shells', async () => {
    const all = await commandsFor([]);
    expect(completionScript('zsh', all)).toContain('bashcompinit');
    expect(completionScript('fish', all)).toContain("complete -c epistle -f -n '__fish_seen_subcommand_from runs");
  });
});
