import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { epistle } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

let workspace: TestWorkspace;
beforeEach(() => {
  const side = { host: 'h.test', user: 'u', secret_env: 'E' };
  workspace = makeWorkspace({
    'configs/gateway.json': `{ "mailboxes": [ ${JSON.stringify({ id: 'b', smtp: side })},\n  ${JSON.stringify({ id: 'a', smtp: side })} ] }\n`,
  });
});
afterEach(() => workspace.remove());

const set = (...args: string[]) => epistle(workspace.root, ['config', 'set', ...args]);
const text = (file: string) => readFileSync(join(workspace.root, file), 'utf8');

describe('one setting that is set', () => {
  it('is told as it was and as it is, and everything else stays as it is written', async () => {
    const before = text('configs/gateway.json');
    const { code, json } = await set('gateway', 'mailboxes.a.smtp.port', '2525');
    expect([code, json.changes]).toEqual([
      0,
      [{ file: 'configs/gateway.json', key: 'mailboxes.a.smtp.port', from: null, to: 2525 }],
    ]);
    expect(text('configs/gateway.json')).toBe(before.replace(/"E"\}\} \]/, '"E","port": 2525}} ]'));
    expect((await set('gateway', 'mailboxes.a.smtp.port', '2525')).json.changes).toEqual([]);
    expect((await set('gateway', 'mailboxes.a.smtp.port', '--unset')).code).toBe(0);
    expect(text('configs/gateway.json')).toBe(before);
  });

  it.each([
    [['gateway', 'mailboxes.a.smtp.prot', '1'], 2, 'config_invalid'],
    [['gateway', 'mailboxes.c.smtp.port', '1'], 2, 'config_invalid'],
    [['persona/ada', 'timezone', 'Nowhere/Atall'], 2, 'config_invalid'],
    [['persona/nobody', 'name', 'x'], 1, 'not_found'],
    [['persona/../x', 'name', 'x'], 2, 'usage'],
    [['nothing', 'a', '1'], 2, 'usage'],
    [['gateway', 'a..b', '1'], 2, 'usage'],
    [['gateway', 'domain'], 2, 'usage'],
  ])('is refused, and nothing is written: %j', async (args, code, error) => {
    const before = [text('configs/gateway.json'), text('personas/ada/persona.json')];
    expect(await set(...args)).toMatchObject({ code, json: { ok: false, error: { code: error } } });
    expect([text('configs/gateway.json'), text('personas/ada/persona.json')]).toEqual(before);
  });

  it('is written also where the data that it leads to cannot be opened, or nothing but an editor would mend it', async () => {
    workspace.write('configs/system.json', '{ "data_dir": "broken" }');
    workspace.write('broken/gateway.db', 'no database');
    expect((await set('system', 'data_dir', 'data')).code).toBe(0);
    expect(JSON.parse(text('configs/system.json'))).toEqual({ data_dir: 'data' });
  });

  it('gives one owner a language, and leaves the others as they are written', async () => {
    workspace.write('configs/security.json', '{ "owners": ["olga@owner.example",  "bob@owner.example"] }');
    const named = await set('security', '["owners","olga@owner.example","language"]', 'de');
    expect([named.code, JSON.parse(text('configs/security.json')).owners]).toEqual([
      0,
      [{ address: 'olga@owner.example', language: 'de' }, 'bob@owner.example'],
    ]);
    expect((await epistle(workspace.root, ['persona', 'show', 'ada'])).json.persona.owners).toEqual([
      'olga@owner.example',
      'bob@owner.example',
    ]);
    const wrong = await set('security', '["owners","olga@owner.example","language"]', 'tlh');
    expect(wrong).toMatchObject({ code: 2, json: { error: { code: 'config_invalid' } } });
    // A new persona has its owners from there; one of them named again is the same owner.
    const whose = ['--owner', 'olga@owner.example', '--mailbox', 'a', '--address', 'cleo@h.test', '--without-trial'];
    expect(await epistle(workspace.root, ['persona', 'create', 'cleo', ...whose])).toMatchObject({
      code: 0,
      json: { ok: true },
    });
    expect(JSON.parse(text('configs/security.json')).owners[0]).toEqual({
      address: 'olga@owner.example',
      language: 'de',
    });
  });

  it('has texts without quotes, and keys that have dots', async () => {
    expect((await set('persona/ada', 'name', 'Ada Lovelace')).code).toBe(0);
    expect((await set('inference', '["prices","openai/gpt-4.1"]', '{"input":2,"output":8}')).code).toBe(0);
    expect(JSON.parse(text('personas/ada/persona.json')).name).toBe('Ada Lovelace');
    expect(JSON.parse(text('configs/inference.json')).prices).toEqual({ 'openai/gpt-4.1': { input: 2, output: 8 } });
  });
});
