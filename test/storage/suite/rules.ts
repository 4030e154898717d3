import { describe, expect, it } from 'vitest';
import type { Rule } from '../../../engine/storage/types/rules.ts';
import type { StorageEngine } from '../engine.ts';
import { eachWithAStore, MIA, NOON } from '../world.ts';

const BEN = 'ben@member.example';

const rule = (id: string, more: Partial<Rule> = {}): Rule => ({
  id,
  text: `The words of ${id}.`,
  effect: 'words',
  tools: [],
  whom: [],
  scope: 'persona',
  scope_of: null,
  until: null,
  said_by: MIA,
  said_tier: 'owner',
  source_message: null,
  source_message_id: null,
  origin: 'mail',
  made_at: NOON,
  ended_at: null,
  ended_by: null,
  taught_json: null,
  in_answers: 1,
  ...more,
});

export const rulePromises = (engine: StorageEngine): void => {
  const store = eachWithAStore(engine);
  const add = (added: Rule, replaces: readonly string[] = []) =>
    store().changeRules([{ change: 'add', rule: added, replaces }], []);
  const ids = (rules: readonly Rule[]) => rules.map(({ id }) => id);
  const forRun = async (sender: string, threadId: string | null, now = NOON) =>
    ids(await store().rulesFor({ sender, threadId, now }));

  describe('what is to hold from now on', () => {
    it('is as it was said, for whom it was said, until its time is over', async () => {
      await add(rule('all', { effect: 'deny', tools: ['send_email'], whom: [BEN] }));
      await add(rule('mias', { scope: 'person', scope_of: MIA }));
      await add(rule('here', { scope: 'thread', scope_of: 't1' }));
      await add(rule('short', { until: NOON + 1 }));
      // Whom a copy is for is seen in the mail that leaves, whoever wrote.
      await add(rule('copy', { effect: 'cc', whom: [MIA], scope: 'person', scope_of: BEN }));
      expect(await forRun('', null)).toEqual(['all', 'short', 'copy']);
      expect(await forRun(MIA.toUpperCase(), 't1')).toEqual(['all', 'mias', 'here', 'short', 'copy']);
      expect(await forRun(BEN, 't2', NOON + 1)).toEqual(['all', 'copy']);
      expect(ids(await store().rulesInForce(NOON + 1))).toEqual(['all', 'mias', 'here', 'copy']);
      expect(await store().rulesByIds(['all', 'none'])).toEqual([
        rule('all', { effect: 'deny', tools: ['send_email'], whom: [BEN] }),
      ]);
    });

    it('ends, is replaced, holds again, and stays on record', async () => {
      await add(rule('a'));
      await add(rule('b'), ['a']);
      expect(await forRun('', null)).toEqual(['b']);
      expect((await store().rulesByIds(['a']))[0]).toMatchObject({ ended_at: NOON, ended_by: 'b' });
      await store().changeRules([{ change: 'end', id: 'b', by: 'command', at: NOON + 2 }], []);
      await store().changeRules([{ change: 'end', id: 'b', by: 'somebody', at: NOON + 9 }], []);
      expect((await store().rulesByIds(['b']))[0]).toMatchObject({ ended_at: NOON + 2, ended_by: 'command' });
      await store().changeRules([{ change: 'revive', id: 'a' }], []);
      expect(await forRun('', null)).toEqual(['a']);
    });

    it('is listed newest first, page by page', async () => {
      for (const id of ['a', 'b', 'c']) await add(rule(id));
      await store().changeRules([{ change: 'end', id: 'b', by: 'command', at: NOON }], []);
      const list = async (more: object) => ids(await store().listRules({ all: false, limit: 9, now: NOON, ...more }));
      expect(await list({})).toEqual(['c', 'a']);
      expect(await list({ all: true, limit: 2 })).toEqual(['c', 'b']);
      expect(await list({ all: true, after: 'b' })).toEqual(['a']);
    });

    it('is erased with the mail that said it, or with all of somebody', async () => {
      await add(rule('a', { source_message: 'm1' }));
      await add(rule('b', { said_by: BEN }));
      await add(rule('c'));
      expect(await store().forgetRules({ messages: ['m1'] })).toBe(1);
      expect(await store().forgetRules({ person: BEN.toUpperCase() })).toBe(1);
      expect(ids(await store().listRules({ all: true, limit: 9, now: NOON }))).toEqual(['c']);
    });
  });
};
