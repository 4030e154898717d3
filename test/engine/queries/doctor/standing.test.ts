import { describe, expect, it } from 'vitest';
import { loginChecks } from '../../../../engine/queries/doctor/borders.ts';
import { memoryChecks } from '../../../../engine/queries/doctor/personas.ts';

const trusted = (...servers: string[]) =>
  loginChecks({ gateway_auth: { mode: 'enforce', dns_servers: [], trusted_received: servers } });
const persona = (id: string, facts: boolean) => ({ id, memory: { facts, recall: null } });

describe('what was trusted at setup', () => {
  it('stays a warning of doctor, and fails nothing', () => {
    expect(trusted('inner.example.com')).toEqual([]);
    expect(trusted('esmtpsa:mx.example.com')).toMatchObject([
      {
        ok: true,
        message: expect.stringMatching(/^warning: logins at mx\.example\.com are trusted: .*can write as you/),
      },
    ]);
  });
});

describe('memory that is off', () => {
  it('is named to its owner, with the command that switches it on', () => {
    expect(memoryChecks([persona('ada', true)])).toEqual([]);
    expect(memoryChecks([persona('ada', true), persona('ben', false)])).toMatchObject([
      { ok: true, message: expect.stringContaining('`epistle config set persona/ben memory.facts true`') },
    ]);
  });
});
