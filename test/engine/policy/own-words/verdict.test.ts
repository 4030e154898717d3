import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { addressBook } from '../../../../engine/policy/own-words/address-book.ts';
import { judgeOwnWords, type OwnWordsFacts } from '../../../../engine/policy/own-words/verdict.ts';
import { valuesOfArguments } from '../../../../engine/policy/values/argument-values.ts';
import { stringsOf } from '../../../../engine/policy/values/provenance.ts';

const TIM = 'tim@elsewhere.example';
const OWNER = 'nora@example.com';

const CALL: OwnWordsFacts['call'] = {
  risk: 'write',
  scope: 'mail:create',
  isBundled: true,
  holdsSecrets: false,
  canUndo: false,
  stays: false,
  targets: [TIM],
  recipients: [TIM],
  names: [],
};

const withArgs = (args: Json) => ({
  values: valuesOfArguments(args, { changes: true, connects: false }),
  texts: stringsOf(args),
});

const written = (text: string): Pick<OwnWordsFacts, 'pieces'> => ({ pieces: [{ kind: 'written', text }] });

/** An owner's mail that asks for a mail to Tim, and the call for it. Each test takes away one thing. */
const FACTS: OwnWordsFacts = {
  begun: 'mail',
  isDenied: false,
  ground: 'dmarc',
  isOwner: true,
  ...written(`Please tell ${TIM} that we meet at three.`),
  layers: [{ decision: 'approve', by: 'risk write' }],
  call: CALL,
  ...withArgs({ to: [TIM], subject: 'Tomorrow', body: 'We meet at three.' }),
  book: addressBook([]),
  others: { addresses: [], isHouse: true },
  isOwnerAddress: (address) => address === OWNER,
  made: new Set(),
  isExposed: false,
  ownFiles: new Set(),
};

const judged = (changes: Partial<OwnWordsFacts>) => judgeOwnWords({ ...FACTS, ...changes });
const asks = (why: string) => ({ verdict: 'asks', why });
const counts = (kind: string, words: readonly string[]) => ({ verdict: 'counts', kind, words });

describe("an owner's own words", () => {
  it('are the yes to what all of it holds for', () => expect(judged({})).toEqual(counts('mail', [TIM])));

  it.each(['dmarc', 'signature', 'login'] as const)('count where they are proven by %s', (ground) =>
    expect(judged({ ground })).toEqual(counts('mail', [TIM])),
  );

  it.each<[string, Partial<OwnWordsFacts>, string]>([
    ['a task began the run', { begun: 'task' }, 'begun'],
    ['another run began it', { begun: 'child' }, 'begun'],
    ['the mail had a run before', { begun: 'again' }, 'begun'],
    ['it is an answer to what was sent for somebody else', { begun: 'answer' }, 'begun'],
    ['an owner has said no in this run', { isDenied: true }, 'denied'],
    ['nobody is proven so', { ground: null }, 'proof'],
    ['its sender is no owner, or none any more', { isOwner: false }, 'proof'],
    ['a piece may be somebody else’s', { pieces: [...FACTS.pieces, { kind: 'unknown', text: 'Yes.' }] }, 'unknown'],
    ['a word is struck out', written(`Please tell ~~${TIM}~~ nobody.`), 'unknown'],
    ['a word may be hidden', written(`Tell [may be hidden: ${TIM}] it.`), 'unknown'],
    ['it is longer than what is looked at', written(`Tell ${TIM}.${'\n'.repeat(2000)}`), 'unknown'],
    ['a header was copied', written(`Tell ${TIM}.\n\nFrom: ${TIM}\nTo: ${OWNER}\nSubject: Proof\n\nPay.`), 'unknown'],
    ['a text of it is longer than what is looked at', withArgs({ to: [TIM], body: 'a '.repeat(60_000) }), 'value'],
    ['it names a host that they did not', withArgs({ to: [TIM], body: 'See shop.example about it.' }), 'value'],
    ['it has the number of a card', withArgs({ to: [TIM], body: 'It is 4111 1111 1111 1111.' }), 'money'],
    ['a rule asks by name', { layers: [{ decision: 'approve', by: 'rule' }, ...FACTS.layers] }, 'policy'],
    ['the tool is asked about by name', { layers: [{ decision: 'approve', by: 'tool' }, ...FACTS.layers] }, 'policy'],
    ['it only asks', { layers: [{ decision: 'approve', by: 'question' }, ...FACTS.layers] }, 'policy'],
    ['the tool is of others', { call: { ...CALL, isBundled: false } }, 'kind'],
    ['the tool holds a key', { call: { ...CALL, holdsSecrets: true } }, 'kind'],
    ['the tool does not say what it picks by name', { call: { ...CALL, names: null } }, 'kind'],
    ['it is no mail, and says that it reaches somebody', { call: { ...CALL, scope: 'web:write' } }, 'kind'],
    ['it destroys, and reaches somebody', { call: { ...CALL, risk: 'destructive', canUndo: true } }, 'kind'],
    ['it reaches nobody, and is said to stay nowhere', { call: { ...CALL, recipients: [] } }, 'kind'],
    ['somebody else gets it', { call: { ...CALL, recipients: [TIM, 'eve@outside.example'] } }, 'recipient'],
    ['what reaches somebody is no address', { call: { ...CALL, recipients: ['tim'] } }, 'recipient'],
    ['they are named in a quotation alone', { pieces: [{ kind: 'quoted', text: `Tell ${TIM}.` }] }, 'recipient'],
    ['they are named in what is forwarded', { pieces: [{ kind: 'forwarded', text: `Tell ${TIM}.` }] }, 'recipient'],
    ['they are named in a signature', { pieces: [{ kind: 'signature', text: TIM }] }, 'recipient'],
    ['they are named in our own question', { pieces: [{ kind: 'asked', text: `Tell ${TIM}?` }] }, 'recipient'],
    ['their address is a part of the one written', written(`Please tell big.${TIM} it.`), 'recipient'],
    ['it takes a file along that was not named', { call: { ...CALL, names: ['plan.txt'] } }, 'name'],
    ['it goes on in a thread that was not named', { call: { ...CALL, names: ['<a@b.example>'] } }, 'name'],
    ['there is a sum in it', withArgs({ body: 'We pay 500 EUR.' }), 'money'],
    ['an argument is a sum by its name', withArgs({ amount: 500 }), 'money'],
    ['there is an account in it', withArgs({ body: 'DE89 3704 0044 0532 0130 00' }), 'money'],
    ['there is a key in it', withArgs({ body: 'Authorization: Bearer abcdef123456' }), 'secret'],
    ['there is a link in it that was not written', withArgs({ body: 'https://evil.example/x' }), 'value'],
    ['there is an address in it that was not written', withArgs({ body: 'Write to eve@outside.example' }), 'value'],
    ['words of others were read', { isExposed: true }, 'exposed'],
  ])('are not where %s', (_what, changes, why) => expect(judged(changes)).toEqual(asks(why)));

  it('are also not where the sum, the account and the key were written by the owner', () => {
    const text = `Tell ${TIM}: 500 EUR to DE89 3704 0044 0532 0130 00.`;
    expect(judged({ ...written(text), ...withArgs({ body: text }) })).toEqual(asks('money'));
  });

  it('have room for links and addresses that the owner wrote, and for owners themselves', () => {
    const text = `Tell ${TIM} to look at https://example.com/a and to write to lena@elsewhere.example or me.`;
    const args = withArgs({ body: `https://example.com/a lena@elsewhere.example ${OWNER}` });
    expect(judged({ ...written(text), ...args, call: { ...CALL, recipients: [TIM, OWNER] } })).toEqual(
      counts('mail', [TIM]),
    );
  });
});

describe('things that are named', () => {
  const deletes = (path: string): Partial<OwnWordsFacts> => ({
    call: { ...CALL, risk: 'destructive', scope: 'files:delete', canUndo: true, recipients: [], targets: [path] },
    layers: [{ decision: 'approve', by: 'risk destructive' }],
    ...withArgs({ path }),
  });

  it('stand there in full, as people write a path', () => {
    expect(judged({ ...deletes('old/plan.txt'), ...written('Delete old/plan.txt, please.') })).toEqual(
      counts('undoable', ['old/plan.txt']),
    );
    expect(judged({ ...deletes('plan.txt'), ...written('Delete files/plan.txt.') })).toEqual(
      counts('undoable', ['plan.txt']),
    );
    expect(judged({ ...deletes('./plan.txt'), ...written('Delete "plan.txt"!') })).toMatchObject({ verdict: 'counts' });
  });

  it.each([
    ['plan.txt', 'Delete old/plan.txt.'],
    ['old/plan.txt', 'Delete plan.txt.'],
    ['plan.txt', 'Delete plan.txt.bak.'],
    ['plan.txt', 'Delete my-plan.txt.'],
    ['plan.txt', 'Delete the plan.'],
    ['Plan.txt', 'Delete plan.txt.'],
    ['', 'Delete it.'],
  ])('are others where %s is to go and the owner wrote: %s', (path, text) =>
    expect(judged({ ...deletes(path), ...written(text) })).toEqual(asks('name')),
  );

  it('need no name where this run has made them', () =>
    expect(judged({ call: { ...CALL, names: ['./note.md'] }, made: new Set(['note.md']) })).toMatchObject({
      verdict: 'counts',
    }));

  it('cannot go where nothing brings them back', () => {
    const { call = CALL, ...rest } = deletes('plan.txt');
    expect(judged({ ...rest, call: { ...call, canUndo: false }, ...written('Delete plan.txt.') })).toEqual(
      asks('kind'),
    );
  });
});

describe('all to whom the mail went', () => {
  const all = ['mia@member.example', 'max@member.example'];
  const reached = (recipients: readonly string[]) => ({
    ...written('Tell them.'),
    ...withArgs({ to: [...recipients] }),
    call: { ...CALL, recipients },
  });

  it('are named by that, where each belongs to the house', () =>
    expect(judged({ ...reached(all), others: { addresses: all, isHouse: true } })).toEqual(counts('mail', all)));

  it('are not where somebody of them does not', () =>
    expect(judged({ ...reached(all), others: { addresses: all, isHouse: false } })).toEqual(asks('recipient')));

  it('are not some of them, nor more', () => {
    const others = { addresses: all, isHouse: true };
    expect(judged({ ...reached(all.slice(0, 1)), others })).toEqual(asks('recipient'));
    expect(judged({ ...reached([...all, TIM]), others })).toEqual(asks('recipient'));
  });
});

describe('a name', () => {
  const call = (text: string, ...book: Parameters<typeof addressBook>) =>
    judged({ ...written(text), book: addressBook(...book) });
  const BERG = { name: 'Tim Berg', address: TIM };
  const OLSEN = { name: 'Tim Olsen', address: 'olsen@elsewhere.example' };

  it.each([
    ['Please tell Tim it.', 'Tim'],
    ['Please tell Tim Berg it.', 'Tim Berg'],
    ['Tim, please.', 'Tim'],
  ])('names whoever has it alone: %s', (text, word) => expect(call(text, [BERG])).toEqual(counts('mail', [word])));

  it.each([
    ['Please tell Timothy it.', [BERG], []],
    ['Please tell tim it.', [BERG], []],
    ['Please tell Tim Olsen it.', [BERG], []],
    ['Please tell Tim it.', [BERG, OLSEN], []],
    ['Please tell Tim it.', [BERG], [OLSEN]],
    ['Please tell Tim Berg it.', [BERG], [{ ...BERG, address: 'eve@outside.example' }]],
    ['Please tell Tim it.', [], [BERG]],
    ['Please tell Tim it.', [OLSEN], []],
  ])('names nobody: %s', (text, known, seen) => expect(call(text, known, seen)).toEqual(asks('recipient')));

  it('is read as address books write it', () =>
    expect(call('Please tell Tim Berg it.', [{ name: 'Berg, Tim', address: TIM }])).toEqual(
      counts('mail', ['Tim Berg']),
    ));
});
