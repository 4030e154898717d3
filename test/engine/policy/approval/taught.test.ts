import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { isForRiskAlone, isPlain, likenessOf } from '../../../../engine/policy/approval/taught.ts';
import type { PermissionQuestion } from '../../../../engine/policy/permission.ts';
import { likenessKey } from '../../../../engine/storage/types/approvals.ts';

const [BOB, CAROL] = ['bob@shop.example', 'carol@house.example'];
const MAIL = { name: 'send_email', scope: 'mail:create' } as const;
const FILE = { name: 'edit_file', scope: 'files:write' } as const;

const like = (more: Partial<Parameters<typeof likenessOf>[0]> = {}) =>
  likenessOf({ tool: MAIL, kind: 'mail', recipients: [BOB], targets: [BOB], ...more });

describe('by what a call is like others', () => {
  it('is the tool, everybody whom it goes to, and what began its run', () => {
    expect(like()).toEqual({ tool: 'send_email', kind: 'mail', whom: [BOB], target: null });
    expect(like({ recipients: [CAROL, BOB.toUpperCase(), BOB] })?.whom).toEqual([BOB, CAROL]);
    const keys = [
      like(),
      like({ recipients: [BOB, CAROL] }),
      like({ kind: 'task:monday' }),
      like({ tool: { ...MAIL, name: 'invite' } }),
    ];
    expect(new Set(keys.map((one) => one && likenessKey(one))).size).toBe(4);
  });

  it('is what it changes, where that is one thing with a name', () => {
    const changes = (targets: string[], tool: Parameters<typeof likenessOf>[0]['tool'] = FILE) =>
      like({ tool, recipients: null, targets });
    expect(changes(['plan.txt'])).toMatchObject({ whom: [], target: 'plan.txt' });
    expect(changes(['plan.txt', 'other.txt'])).toBeNull();
    expect(changes([])).toBeNull();
    expect(changes(['ls'], { name: 'shell', scope: 'shell:write' })).toBeNull();
  });

  it('is nothing of a child run, of a question in words, of a task, and where an address is none', () => {
    expect(like({ kind: null })).toBeNull();
    expect(like({ tool: { ...MAIL, asks: true } })).toBeNull();
    expect(like({ tool: { name: 'schedule_task', scope: 'schedule:create' } })).toBeNull();
    expect(like({ recipients: [BOB, 'nobody'] })).toBeNull();
  });
});

describe('a call in which nothing is asked about each time', () => {
  const plain = (args: Json, more: object = {}) => isPlain({ risk: 'write', args, hasFiles: false, ...more });
  it.each<[string, boolean, boolean]>([
    ['words alone', plain({ to: [BOB], body: 'We meet at three on 4 May.' }), true],
    ['a file beside it', plain({ to: [BOB], body: 'Here.' }, { hasFiles: true }), false],
    ['a sum in its text', plain({ body: 'That makes 400 EUR.' }), false],
    ['a sum by the name of its argument', plain({ amount: 12 }), false],
    ['an account', plain({ body: 'To DE89 3704 0044 0532 0130 00, please.' }), false],
    ['the number of a card', plain({ body: 'It is 4111 1111 1111 1111.' }), false],
    ['what destroys something', plain({ path: 'a.txt' }, { risk: 'destructive' }), false],
    ['more than is looked at', plain({ body: Array.from({ length: 6000 }, () => 'x') }), false],
  ])('%s', (_, is, expected) => {
    expect(is).toBe(expected);
  });
});

describe('what a rule could let go', () => {
  const question = (more: Partial<PermissionQuestion> = {}): PermissionQuestion => ({
    surface: null,
    risk: 'write',
    tier: 'owner',
    layers: [{ decision: 'approve', by: 'risk write' }],
    mail: 'new',
    tainted: false,
    canAsk: true,
    ...more,
  });
  it.each<[string, Partial<PermissionQuestion>, boolean]>([
    ['its risk alone', {}, true],
    ['a tool that is named by the configuration', { layers: [{ decision: 'approve', by: 'tool' }] }, false],
    ['somebody new, after others’ words', { tainted: true }, false],
    ['a key in hand, after others’ words', { tainted: true, mail: 'known', secrets: true }, false],
    ['a value of others', { values: [{ kind: 'url', value: 'https://x.example', at: 'body', origin: null }] }, false],
    ['a hook', { restrictions: [{ by: 'hook quiet', verdict: 'ask', reason: '' }] }, false],
    ['what lets more go from now on', { widens: true }, false],
    ['a denial', { standing: { deny: { id: 'r1', text: 'Never.' } } }, false],
  ])('%s', (_, more, expected) => {
    expect(isForRiskAlone(question(more))).toBe(expected);
  });

  it('is nothing where the record does not tell what was asked', () => {
    expect(isForRiskAlone(undefined)).toBe(false);
  });
});
