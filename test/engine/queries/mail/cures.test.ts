import { describe, expect, it } from 'vitest';
import { cureOf, learnableOf } from '../../../../engine/queries/mail/cures.ts';

const refused = (detail: string) =>
  cureOf({ code: 'auth_failed', persona_id: 'ada', from_address: 'eve@x.test', mailbox: 'main', detail });

describe('the cure of a mail that nobody is proven to have written', () => {
  it('is the name of the border where no verdict was found under it', () => {
    expect(refused('no Authentication-Results of mx.y.test')).toContain('imap.authserv_id of mailbox main');
  });

  it('is the name of the border where no verdict is looked for', () => {
    expect(refused('dmarc=none dkim=none spf=none')).toContain('imap.authserv_id of mailbox main');
  });

  it.each([
    ['no Authentication-Results of mx.y.test', true],
    ['no Authentication-Results of (unnamed)', true],
    ['dmarc=none dkim=none spf=none', true],
    ['mx.y.test says dmarc=fail (x.test)', false],
    ['"dkim=none" is no name of a border', false],
    ['the header has more than 500 fields', false],
  ])('of %s names the command that learns them where the settings may be why', (detail, isLearned) => {
    expect(refused(detail)?.includes('`epistle mailbox test main --send` learns and writes')).toBe(isLearned);
    expect(learnableOf({ code: 'auth_failed', mailbox: 'main', detail })).toBe(isLearned ? 'main' : null);
  });

  it('is nothing of the settings for a mail that nobody checks', () => {
    expect(refused('the header has more than 500 fields')).toContain('its sender needs DKIM or SPF');
  });

  it('leaves the settings alone where the border was heard, so that nobody is led to believe a forged one', () => {
    const cure = refused('mx.y.test says dmarc=fail (x.test)');
    expect(cure).toContain('mx.y.test does not vouch for its From address');
    expect(cure).not.toContain('authserv_id');
  });

  it('leaves the settings alone where the border was heard, and the gateway’s own check says no', () => {
    const cure = refused('mx.y.test says dmarc=pass (x.test); by our own check: dmarc=fail dkim=none spf=none');
    expect(cure).toContain('mx.y.test vouches for it, and the gateway’s own check does not');
    expect(cure).not.toContain('authserv_id');
  });

  it('names the servers in between where a border without a name was not found', () => {
    expect(refused('no Authentication-Results of (unnamed)')).toContain('gateway_auth.trusted_received');
  });

  it('is the setting where that is no name, as a trial of before wrote it', () => {
    const cure = refused('"dkim=none" is no name of a border');
    expect(cure).toContain('imap.authserv_id of mailbox main');
    expect(cure).toContain('"(unnamed)"');
  });

  it('is nothing where a sender may have put words into the mouth of the border', () => {
    const cure = refused('mx.y.test says nothing that can be believed: it holds a backslash');
    expect(cure).toContain('may have written a part of what mx.y.test says');
    expect(cure).not.toContain('authserv_id');
  });
});
