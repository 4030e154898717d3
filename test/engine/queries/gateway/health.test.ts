import { describe, expect, it } from 'vitest';
import { whyUnhealthy } from '../../../../engine/queries/gateway/health.ts';
import { sendingOf } from '../../../../engine/queries/gateway/sending.ts';

const SMTP = { state: 'ready', error: null, waiting: 0, attempts: 0 } as const;
const mailbox = { id: 'main', state: 'connected', error: null, smtp: SMTP } as const;
const WELL = {
  running: true,
  mailboxes: [mailbox],
  personas: [{ id: 'ada', address: 'ada@x.test', state: 'ready', error: null }],
  missing_keys: [],
  tools_waiting: [],
  config_errors: [],
  extensions: [{ kind: 'tool', name: 'lookup', state: 'loaded' }],
} as const;
const problem = { file: 'f', key: '', code: 'unknown_key', message: 'm', expected: null, nearest: null } as const;

describe('a gateway', () => {
  it('is well while it runs, reads its mailboxes and can answer', () => {
    expect(whyUnhealthy(WELL)).toEqual([]);
    expect(whyUnhealthy({ ...WELL, personas: [{ ...WELL.personas[0], state: 'paused' }] })).toEqual([]);
  });

  it.each([
    ['does not run', { running: false }, 'no gateway runs'],
    [
      'cannot log in',
      { mailboxes: [{ ...mailbox, state: 'auth_failed' as const }] },
      'mailbox main is not read: login refused',
    ],
    [
      'has to be logged in again',
      { mailboxes: [{ ...mailbox, state: 'needs_login' as const }] },
      'mailbox main is not read: needs a login',
    ],
    [
      'cannot connect',
      { mailboxes: [{ ...mailbox, state: 'retrying' as const }] },
      'mailbox main is not read: tries to connect',
    ],
    [
      'sends nothing',
      { mailboxes: [{ ...mailbox, smtp: { state: 'retrying' as const, error: '554 no', waiting: 1, attempts: 2 } }] },
      'mailbox main does not send: 554 no',
    ],
    ['has a persona with errors', { personas: [{ ...WELL.personas[0], state: 'error' as const }] }, 'not ready: ada'],
    ['lacks a key', { missing_keys: [{ provider: 'p', keys: ['K'], personas: ['ada'] }] }, 'provider p has no key: K'],
    [
      'cannot use an extension',
      { extensions: [{ kind: 'tool', name: 'lookup', state: 'error' }] },
      'cannot be used: tool lookup',
    ],
    [
      'has tools that no owner has allowed as they are',
      { tools_waiting: [{ server: 'wiki', tools: ['wiki_add'] }] },
      'tools wait for an owner: tool server wiki',
    ],
    [
      'has mail that could not be sent',
      { outbox: { failed: 2 } },
      '2 mails could not be sent (`epistle outbox list --status failed` says why; `epistle outbox retry --failed` sends them again, `epistle outbox drop --failed` gives them up)',
    ],
    ['has a broken file', { config_errors: [problem] }, '1 problem in the configuration'],
  ])('is not when it %s', (_, change, why) => {
    expect(whyUnhealthy({ ...WELL, ...change })).toEqual([why]);
  });

  it('is not called ill for one mail that a server asks to bring again', () => {
    const smtp = sendingOf('main', [{ mailbox: 'main', attempts: 1, error: '451 later' }]);
    expect(smtp).toEqual({ state: 'retrying', error: '451 later', waiting: 1, attempts: 1 });
    expect(whyUnhealthy({ ...WELL, mailboxes: [{ ...mailbox, smtp }] })).toEqual([]);
    expect(sendingOf('other', [{ mailbox: 'main', attempts: 1, error: null }])).toEqual(SMTP);
  });
});
