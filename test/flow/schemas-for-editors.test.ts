import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from './command-line.ts';
import { epistle, launchGateway } from './gateway.ts';

const FILES = ['configs/*.json', 'extensions/extensions.json', 'personas/*/persona.json'];

describe('the files of a new workspace, in an editor', () => {
  let folder: string;
  let root: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'epistle-schemas-'));
    root = join(folder, 'mine');
    await run(['init', root], { cwd: folder });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const named = (file: string): string => join(dirname(file), read(file).$schema);
  const wrongIn = (file: string, change: object = {}) => {
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(read(named(file)));
    return validate({ ...read(file), ...change }) ? null : validate.errors?.[0]?.params;
  };

  it('each name a schema that is there, that they follow, and by which a wrong key is found', async () => {
    await epistle(root, ['persona', 'create', 'carla']);
    await epistle(root, ['extensions', 'new', 'tool', 'mine']);
    const files = globSync(FILES, { cwd: root });
    expect(files).toHaveLength(9);
    expect(files.map((file) => [file, wrongIn(file)])).toEqual(files.map((file) => [file, null]));
    for (const file of files) expect(wrongIn(file, { adress: 1 })).toMatchObject({ additionalProperty: 'adress' });
    expect((await run(['config', 'show'], { cwd: root })).code).toBe(0);
  });

  it('still name it when commands have written them', async () => {
    await epistle(root, ['persona', 'edit', 'ada', '--name', 'Ida']);
    await epistle(root, ['extensions', 'new', 'tool', 'mine']);
    expect(read('personas/ada/persona.json')).toMatchObject({ $schema: expect.any(String), name: 'Ida' });
    expect(read('extensions/extensions.json')).toMatchObject({ $schema: expect.any(String), tools: ['mine'] });
  });

  it('have the schemas of the new version after an upgrade, and none where the folder was deleted', async () => {
    const start = async () => await (await launchGateway(root).ready).stop();
    writeFileSync(
      join(root, 'configs/gateway.json'),
      '{ "$schema": "./.schemas/gateway.json", "smtp_listener": { "port": 0 } }',
    );
    writeFileSync(join(root, 'configs/system.json'), '{ "console": { "enabled": false } }');
    const schemas = join(root, 'configs/.schemas');
    writeFileSync(join(schemas, 'version'), '0.0.1\n');
    writeFileSync(join(schemas, 'gateway.json'), '{}');
    await start();
    expect(wrongIn('configs/gateway.json', { adress: 1 })).toMatchObject({ additionalProperty: 'adress' });
    rmSync(schemas, { recursive: true });
    await start();
    expect(existsSync(schemas)).toBe(false);
  });
});
