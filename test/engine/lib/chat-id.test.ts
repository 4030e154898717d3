import { expect, it } from 'vitest';
import { chatMessageId, isChatMessageId } from '../../../engine/lib/ids.ts';

const ID = '01a20073-a3c1-70b3-8677-6d920a32347b';

it('knows the lines of a chat by the secret of the workspace, and asks for it only where one looks like it', () => {
  const one = chatMessageId({ id: ID, domain: 'cli.agents.localhost', secret: 'ours' });
  expect(isChatMessageId(one, () => 'ours')).toBe(true);
  expect(isChatMessageId(one, () => 'theirs')).toBe(false);
  expect(isChatMessageId(one.replace('01a2', '01a3'), () => 'ours')).toBe(false);
  const secret = () => {
    throw new Error('nobody asked');
  };
  for (const other of ['', `<${ID}@agents.localhost>`, '<x.y@z>']) expect(isChatMessageId(other, secret)).toBe(false);
});
