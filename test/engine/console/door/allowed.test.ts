import { describe, expect, it } from 'vitest';
import { calledAs, cookieFor, cookieIn, cookieName, refusedOf } from '../../../../engine/console/door/allowed.ts';

const HERE = { host: '127.0.0.1', port: 8025, publicUrl: null };
const OUTSIDE = { ...HERE, publicUrl: 'https://epistle.example.com' };

describe('the names of the door', () => {
  it('are those of this machine with its port, and the public one', () => {
    for (const named of ['127.0.0.1:8025', 'localhost:8025', 'LOCALHOST:8025', '[::1]:8025', '127.0.0.9:8025'])
      expect([named, calledAs(HERE, named)?.isHttps]).toEqual([named, false]);
    expect(calledAs(OUTSIDE, 'Epistle.example.com')).toEqual({ origin: 'https://epistle.example.com', isHttps: true });
    expect(calledAs({ ...HERE, host: 'fd00::1' }, '[fd00::1]:8025')?.origin).toBe('http://[fd00::1]:8025');
    expect(calledAs({ ...HERE, host: 'mail.lan', port: 80 }, 'mail.lan')?.origin).toBe('http://mail.lan');
  });

  it('are nothing else, and no address where it listens on all', () => {
    for (const named of [
      undefined,
      '',
      'evil.example:8025',
      '127.0.0.1',
      '127.0.0.1:80',
      'epistle.example.com:8025',
      'a b',
    ])
      expect([named, calledAs(OUTSIDE, named)]).toEqual([named, null]);
    for (const host of ['0.0.0.0', '::']) {
      expect(calledAs({ ...HERE, host }, '0.0.0.0:8025')).toBeNull();
      expect(calledAs({ ...HERE, host }, '[::]:8025')).toBeNull();
      expect(calledAs({ ...HERE, host }, '192.0.2.7:8025')).toBeNull();
      expect(calledAs({ ...HERE, host }, 'localhost:8025')).not.toBeNull();
    }
  });
});

describe('a request through https', () => {
  const called = calledAs(OUTSIDE, 'epistle.example.com');

  it('gets a cookie that goes over https alone and that no other host can have set', () => {
    if (called === null) throw new Error('it is ours');
    const name = cookieName(HERE, called);
    expect(cookieFor(name, 'x', called, 60)).toBe(
      '__Host-epistle=x; Path=/; HttpOnly; SameSite=Strict; Max-Age=60; Secure',
    );
    expect(cookieIn(`a=1; ${name}=y`, name)).toBe('y');
    expect(cookieIn(`${name}=y; ${name}=z`, name)).toBeNull();
    expect(cookieIn(undefined, name)).toBeNull();
  });

  it('changes something only where it begins on a page of ours', () => {
    const post = (headers: Record<string, string>) =>
      refusedOf(
        { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } },
        called,
      );
    expect(post({ origin: 'https://epistle.example.com', 'sec-fetch-site': 'same-origin' })).toBeNull();
    expect(post({ origin: 'https://epistle.example.com' })).toBeNull();
    expect(post({ 'sec-fetch-site': 'same-origin' })).toBeNull();
    expect(post({ origin: 'http://epistle.example.com' })).toBe('foreign_origin');
    expect(post({ origin: 'https://evil.epistle.example.com' })).toBe('foreign_origin');
    expect(post({})).toBe('foreign_origin');
    expect(post({ origin: 'https://epistle.example.com', 'sec-fetch-site': 'cross-site' })).toBe('foreign_site');
  });
});
