import { expect, it } from 'vitest';
import { readPlaybook } from '../../../engine/learning/read-playbook.ts';

const wrong = (playbook: object): string => {
  const read = readPlaybook(JSON.stringify(playbook), 'answer', { tools: new Map(), mayUse: () => true } as never);
  return read.ok ? 'nothing' : read.detail;
};

const meta = { kind: 'answer', capabilities: ['advice'], version: 1 };

it.each([
  [{ advice: 'Be brief.' }, 'meta: is missing'],
  [{ meta: { kind: 'answer', version: 1 } }, 'meta.capabilities: is missing'],
  [{ meta: { ...meta, version: 'one' } }, 'meta.version: expected number'],
  [{ meta: { ...meta, version: 0 } }, 'meta.version: at least 1'],
  [{ meta, advise: 'x' }, 'advise: is no key of a playbook'],
  [{ meta, narrow: { denied: [] } }, 'narrow.denied: is no key of a playbook'],
  [{ meta, advice: 'x'.repeat(2001) }, 'advice: at most 2000 characters'],
  [{ meta, advice: 7, answer: 8 }, 'advice: expected string; answer: expected string'],
])('says in words what is wrong with %j', (playbook, words) => expect(wrong(playbook)).toBe(words));
