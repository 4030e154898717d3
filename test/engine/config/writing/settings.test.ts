import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withSetting, writeSettings } from '../../../../engine/config/writing/settings.ts';
import { temporaryWorkspace } from '../temporary-workspace.ts';

describe('a setting that is written', () => {
  it('leaves all others as they are, and the file as open as it was', () => {
    const gateway = {
      domain: 'a.test',
      mailboxes: [{ id: 'x' }, { id: 'main', imap: { host: 'h', authserv_id: null } }],
    };
    const { path } = temporaryWorkspace({ 'configs/gateway.json': gateway });
    chmodSync(join(path, 'configs/gateway.json'), 0o640);
    const change = (file: string, ...at: (string | number)[]) => ({ file, path: at, from: null, to: 'mx.test' });
    writeSettings(path, [
      change('configs/gateway.json', 'mailboxes', 1, 'imap', 'authserv_id'),
      { ...change('configs/security.json', 'gateway_auth', 'trusted_received'), to: ['a', 'b'] },
    ]);
    const read = (name: string) => JSON.parse(readFileSync(join(path, name), 'utf8'));
    expect(read('configs/gateway.json')).toEqual({
      domain: 'a.test',
      mailboxes: [{ id: 'x' }, { id: 'main', imap: { host: 'h', authserv_id: 'mx.test' } }],
    });
    expect(read('configs/security.json').gateway_auth).toEqual({ trusted_received: ['a', 'b'] });
    expect(statSync(join(path, 'configs/gateway.json')).mode & 0o777).toBe(0o640);
  });

  it('is refused where the file is broken, which stays as it was', () => {
    const { path } = temporaryWorkspace({ 'configs/gateway.json': {} });
    const file = join(path, 'configs/gateway.json');
    writeFileSync(file, '{ "domain": ');
    const change = { file: 'configs/gateway.json', path: ['domain'], from: null, to: 'x' };
    expect(() => writeSettings(path, [change])).toThrow(/gateway\.json/);
    expect(readFileSync(file, 'utf8')).toBe('{ "domain": ');
  });

  it('reaches into nothing that is not its own', () => {
    expect(withSetting({ a: 1 }, ['__proto__', 'x'], 1)).toEqual({ a: 1, ['__proto__']: { x: 1 } });
    expect(({} as Record<string, unknown>).x).toBeUndefined();
    expect(withSetting([{ a: 1 }], [5, 'a'], 2)).toEqual([{ a: 1 }]);
  });
});
