import { expect, it } from 'vitest';
import { isForeign } from '../../../../engine/memory/recall/block.ts';
import type { Episode } from '../../../../engine/storage/types/recall.ts';

const answer = (clean_for: Episode['clean_for'], more: Partial<Episode> = {}): Episode => ({
  seq: 1,
  message_id: '<a@agents.example>',
  thread_id: 't',
  direction: 'out',
  from_address: 'ada@agents.example',
  from_name: 'Ada',
  subject: 'Boats',
  tier: null,
  in_reply_to: null,
  references: [],
  forwarded_text: '',
  new_text: 'They are washed.',
  own_words: true,
  taken_back: false,
  clean_for,
  written_at: 0,
  attachments: [],
  ...more,
});
const OWNER = null;
const MIA = { address: 'mia@member.example', tier: 'member' } as const;
const BEN = { address: 'ben@member.example', tier: 'member' } as const;

it('an answer of ours is nobody else’s where its run was shown the words of one alone whose word counts here, too', () => {
  const forOwner = answer({ tier: 'owner', sender: 'olga@example.com' });
  const forMia = answer({ tier: 'member', sender: MIA.address });
  expect(isForeign(forOwner, OWNER)).toBe(false);
  expect(isForeign(forOwner, MIA)).toBe(false);
  expect(isForeign(forMia, MIA)).toBe(false);
  expect(isForeign(forMia, BEN)).toBe(true);
  expect(isForeign(forMia, OWNER)).toBe(true);
  for (const tier of ['known', 'stranger', 'unauthenticated'] as const)
    for (const asker of [OWNER, MIA, { address: 'eve@x.example', tier }])
      expect(isForeign(answer({ tier, sender: 'eve@x.example' }), asker)).toBe(true);
});

it('is others’ where nothing is on record, where it came back, or where what stands there is not what we wrote', () => {
  expect(isForeign(answer(null), OWNER)).toBe(true);
  const clean = { tier: 'owner', sender: 'olga@example.com' } as const;
  expect(isForeign(answer(clean, { forwarded_text: '5' }), OWNER)).toBe(true);
  expect(isForeign(answer(clean, { own_words: false }), OWNER)).toBe(true);
});
