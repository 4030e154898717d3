import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planChange } from '../../../../engine/config/writing/change.ts';
import { settingAt, settingChanges, withSetting } from '../../../../engine/config/writing/settings.ts';
import { persona, temporaryWorkspace } from '../temporary-workspace.ts';

const side = { host: 'h', tls: 'none', user: 'u', secret_env: 'E', allow_plaintext: true };
const GATEWAY = 'configs/gateway.json';

describe('a setting that is written', () => {
  it('leaves all others as they are, and the file as open as it was', () => {
    const gateway = {
      domain: 'a.test',
      mailboxes: [{ id: 'x' }, { id: 'main', imap: { ...side, authserv_id: null } }],
    };
    const { path } = temporaryWorkspace({ [GATEWAY]: gateway });
    chmodSync(join(path, GATEWAY), 0o640);
    planChange(path, {
      settings: [
        { file: GATEWAY, path: ['mailboxes', 'main', 'imap', 'authserv_id'], to: 'mx.test' },
        { file: 'configs/security.json', path: ['gateway_auth', 'trusted_received'], to: ['a', 'b'] },
      ],
    }).write();
    const read = (name: string) => JSON.parse(readFileSync(join(path, name), 'utf8'));
    expect(read(GATEWAY)).toEqual({
      domain: 'a.test',
      mailboxes: [{ id: 'x' }, { id: 'main', imap: { ...side, authserv_id: 'mx.test' } }],
    });
    expect(read('configs/security.json').gateway_auth).toEqual({ trusted_received: ['a', 'b'] });
    expect(statSync(join(path, GATEWAY)).mode & 0o777).toBe(0o640);
  });

  it.each([
    ['a file that is broken', '{ "domain": ', /gateway\.json/],
    ['a file that is no object', '[1]', /is no object/],
  ])('is refused with %s, and none of the others is written', (_, text, words) => {
    const { path } = temporaryWorkspace({ [GATEWAY]: text, 'configs/security.json': {} });
    const settings = [
      { file: 'configs/security.json', path: ['owners'], to: ['a@b.test'] },
      { file: GATEWAY, path: ['domain'], to: 'x' },
    ];
    expect(() => planChange(path, { settings })).toThrow(words);
    expect(readFileSync(join(path, GATEWAY), 'utf8')).toBe(text);
    expect(readFileSync(join(path, 'configs/security.json'), 'utf8')).toBe('{}');
  });

  it.each([
    [{ file: GATEWAY, path: ['domian'], to: 'x' }, 'unknown_key'],
    [{ file: GATEWAY, path: ['mailboxes', 'more', 'imap'], to: { host: 'h' } }, 'missing_key'],
    [{ file: 'personas/ada/persona.json', path: ['timezone'], to: 'Nowhere/Atall' }, 'invalid_value'],
    [{ file: 'personas/ada/persona.json', path: ['mailbox'], to: 'none' }, 'unknown_mailbox'],
  ])('is refused where the file would be wrong: %j', (setting, code) => {
    const { path } = temporaryWorkspace({ [GATEWAY]: {}, ...persona('ada') });
    expect(() => planChange(path, { settings: [setting] })).toThrow(
      expect.objectContaining({
        code: 'config_invalid',
        problems: expect.arrayContaining([expect.objectContaining({ code })]),
      }),
    );
  });

  it('mends one fault beside another that was there before', () => {
    const { path } = temporaryWorkspace({ [GATEWAY]: { domain: 5, nonsense: 1 } });
    planChange(path, { settings: [{ file: GATEWAY, path: ['domain'], to: 'a.test' }] }).write();
    expect(JSON.parse(readFileSync(join(path, GATEWAY), 'utf8'))).toEqual({ domain: 'a.test', nonsense: 1 });
  });

  it('is written where somebody has changed another one since, and not where it was this one', () => {
    const { path } = temporaryWorkspace({ [GATEWAY]: { domain: 'a.test' } });
    const change = planChange(path, { settings: [{ file: GATEWAY, path: ['domain'], to: 'b.test' }] });
    writeFileSync(join(path, GATEWAY), '{ "domain": "a.test", "delivery": { "give_up_hours": 1 } }');
    change.write();
    expect(readFileSync(join(path, GATEWAY), 'utf8')).toBe(
      '{ "domain": "b.test", "delivery": { "give_up_hours": 1 } }',
    );
    const late = planChange(path, { settings: [{ file: GATEWAY, path: ['domain'], to: 'c.test' }] });
    writeFileSync(join(path, GATEWAY), '{ "domain": "mine.test" }');
    expect(() => late.write()).toThrow(expect.objectContaining({ code: 'cancelled' }));
    expect(readFileSync(join(path, GATEWAY), 'utf8')).toBe('{ "domain": "mine.test" }');
    expect(existsSync(join(path, 'configs/.change.json'))).toBe(false);
  });

  it('reaches into nothing that is not its own', () => {
    expect(withSetting({ a: 1 }, ['__proto__', 'x'], 1)).toEqual({ a: 1, ['__proto__']: { x: 1 } });
    expect(({} as Record<string, unknown>).x).toBeUndefined();
    expect(withSetting([{ a: 1 }], [5, 'a'], 2)).toEqual([{ a: 1 }]);
    expect(settingAt({}, ['constructor', 'name'])).toBeUndefined();
  });
});

describe('an entry of a list with names', () => {
  const providers = ['offline', { name: 'openai', config: { a: 1 } }];

  it('is known by its name, wherever it stands', () => {
    expect(settingAt({ providers }, ['providers', 'openai', 'config', 'a'])).toBe(1);
    expect(withSetting({ providers }, ['providers', 'openai', 'config', 'a'], 2)).toEqual({
      providers: ['offline', { name: 'openai', config: { a: 2 } }],
    });
    expect(withSetting({ providers }, ['providers', 'offline', 'enabled'], false)).toEqual({
      providers: [
        { name: 'offline', enabled: false },
        { name: 'openai', config: { a: 1 } },
      ],
    });
  });

  it('is made where there is none, and taken out', () => {
    expect(withSetting({}, ['mailboxes', 'main', 'save_sent'], true)).toEqual({
      mailboxes: [{ id: 'main', save_sent: true }],
    });
    expect(withSetting({ providers }, ['providers', 'offline'], undefined)).toEqual({ providers: [providers[1]] });
    expect(withSetting({ a: 1 }, ['mailboxes', 'main'], undefined)).toEqual({ a: 1 });
  });

  it('is told of by its name, and of a list in another order as a whole', () => {
    const list = (...ids: string[]) => ({ mailboxes: ids.map((id) => ({ id })) });
    expect(settingChanges('f', list('a', 'b'), list('b'))).toEqual([
      { file: 'f', path: ['mailboxes', 'a'], from: { id: 'a' }, to: undefined },
    ]);
    expect(settingChanges('f', list('a', 'b'), list('b', 'a'))).toMatchObject([{ path: ['mailboxes'] }]);
  });
});
