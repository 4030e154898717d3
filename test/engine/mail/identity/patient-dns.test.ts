import { describe, expect, it } from 'vitest';
import type { ResolveDns } from '../../../../engine/mail/identity/dns.ts';
import { createPatientDns } from '../../../../engine/mail/identity/patient-dns.ts';

const failure = (code: string) => Object.assign(new Error(code), { code });
const MINUTE = 60_000;

/** Name servers on a clock of their own: those of a silent name keep the asker waiting, then fail. */
function rig(silent: (name: string) => boolean, how: { takesMs?: number; code?: string } = {}) {
  const state = { now: 0, silent };
  const asked: string[] = [];
  const resolve: ResolveDns = async (name) => {
    asked.push(name);
    if (!state.silent(name)) throw failure('ENOTFOUND');
    state.now += how.takesMs ?? 5000;
    throw failure(how.code ?? 'ETIMEOUT');
  };
  const dns = createPatientDns({ resolve, now: () => state.now });
  const ask = async (forOne: ResolveDns, name: string) => {
    const before = state.now;
    const code = await forOne(name, 'TXT').then(
      () => 'answered',
      (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
    );
    return { code, tookMs: state.now - before };
  };
  return { state, asked, dns, ask, mail: (name: string) => ask(dns.forOneMail(), name) };
}

const below = (domain: string) => (name: string) => name === domain || name.endsWith(`.${domain}`);
const AT_ONCE = { code: 'ETIMEOUT', tookMs: 0 };

describe('H4: a domain whose name servers are silent', () => {
  it('costs one mail its patience, and no other for a minute, whatever of it is asked for', async () => {
    const { mail, state } = rig(below('silent.test'));
    expect(await mail('k._domainkey.silent.test')).toMatchObject({ code: 'ETIMEOUT' });
    expect(state.now).toBeGreaterThanOrEqual(5000);
    const names = ['k._domainkey.silent.test', 'other._domainkey.silent.test', '_dmarc.SILENT.test', 'silent.test.'];
    for (const name of names) expect(await mail(name)).toEqual(AT_ONCE);
    expect(await mail('_dmarc.lively.test')).toEqual({ code: 'ENOTFOUND', tookMs: 0 });
  });

  it('is asked again after 1 minute, 2, 4 and so on up to an hour', async () => {
    const { mail, state } = rig(below('silent.test'));
    await mail('k._domainkey.silent.test');
    const minutes: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      const since = state.now;
      // The mail that is not refused at once has asked in vain, and begins the next rest.
      for (let asked = since; (await mail('k._domainkey.silent.test')).tookMs === 0; asked = state.now) {
        state.now = asked + MINUTE / 4;
      }
      minutes.push(Math.floor((state.now - since) / MINUTE));
    }
    expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('is asked as before once it has answered', async () => {
    const { mail, state } = rig(below('silent.test'));
    await mail('k._domainkey.silent.test');
    state.now += MINUTE;
    state.silent = () => false;
    expect(await mail('k._domainkey.silent.test')).toEqual({ code: 'ENOTFOUND', tookMs: 0 });
    state.silent = below('silent.test');
    await mail('k._domainkey.silent.test');
    state.now += MINUTE;
    expect((await mail('k._domainkey.silent.test')).tookMs).toBeGreaterThan(0);
  });

  it('is not one of which only a single name is dead, which a forger may choose', async () => {
    const { mail } = rig((name) => name === 'dead._domainkey.lively.test');
    await mail('dead._domainkey.lively.test');
    expect(await mail('dead._domainkey.lively.test')).toEqual(AT_ONCE);
    expect(await mail('k._domainkey.lively.test')).toEqual({ code: 'ENOTFOUND', tookMs: 0 });
  });

  it('is not one that fails at once: that costs nobody anything', async () => {
    const { mail, asked } = rig(below('broken.test'), { takesMs: 10, code: 'ESERVFAIL' });
    for (let n = 0; n < 3; n += 1) expect(await mail('_dmarc.broken.test')).toEqual({ code: 'ESERVFAIL', tookMs: 10 });
    expect(asked).toHaveLength(3);
  });
});

describe('H4: one mail', () => {
  it('waits for all its questions together no longer than it would for one', async () => {
    const { dns, ask, asked } = rig(() => true, { takesMs: 2500 });
    const forOne = dns.forOneMail();
    const first = await ask(forOne, '_dmarc.a.test');
    const second = await ask(forOne, '_dmarc.b.test');
    asked.length = 0;
    expect([first.code, second.code]).toEqual(['ETIMEOUT', 'ETIMEOUT']);
    expect(await ask(forOne, '_dmarc.c.test')).toEqual(AT_ONCE);
    expect(asked).toEqual([]);
  });

  it('does not wait for a resolver that never comes back, and asks it once', async () => {
    const asked: string[] = [];
    const resolve: ResolveDns = (name) => {
      asked.push(name);
      return new Promise(() => {});
    };
    const dns = createPatientDns({ resolve, patienceMs: 50, silenceMs: 20 });
    await expect(dns.forOneMail()('_dmarc.a.test', 'TXT')).rejects.toMatchObject({ code: 'ETIMEOUT' });
    const before = asked.length;
    await expect(dns.forOneMail()('_dmarc.a.test', 'TXT')).rejects.toMatchObject({ code: 'ETIMEOUT' });
    expect(asked).toHaveLength(before);
  });
});
