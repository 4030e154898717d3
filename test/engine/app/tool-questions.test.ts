import { describe, expect, it } from 'vitest';
import { answerLines, judgeToolsAnswer } from '../../../engine/app/pins/answer-job.ts';
import { whetherToAsk, whoDecides } from '../../../engine/app/pins/ask-about-tools.ts';
import { offerIn, offerOf, questionBlocks, wholeText } from '../../../engine/app/pins/question-mail.ts';
import { differenceOf, pinsOf } from '../../../engine/extensions/pins/difference.ts';
import { LANGUAGES } from '../../../engine/languages/language.ts';

const NOON = Date.UTC(2026, 0, 15, 12);
const HOUR = 3_600_000;
const tool = (name: string, description = 'A tool') => ({
  name,
  description,
  inputSchema: { type: 'object' },
  onlyReads: false,
  destroys: false,
});
const added = { changes: differenceOf(pinsOf([tool('add')]), null) };
const removed = { changes: differenceOf(new Map(), pinsOf([tool('add')])) };
const asked = (change: object = {}) => ({
  notice_id: 'n',
  persona_id: 'ada',
  server: 'wiki',
  offer_sha256: 'h',
  asked_at: NOON,
  until: NOON + 168 * HOUR,
  verdict: null,
  decided_by: null,
  decided_at: null,
  answer_id: null,
  ...change,
});

describe('whether owners are asked about tools', () => {
  it.each([
    ['a new tool', added, [], 'ask'],
    ['a tool that is gone and nothing else', removed, [], 'nothing'],
    ['the same while it waits for an answer, since the mail may not have left', added, [asked()], 'again'],
    ['the same that was left away, a year later', added, [asked({ verdict: 'leave', asked_at: 0 })], 'nothing'],
    ['another list on the same day', added, [asked({ offer_sha256: 'other' })], 'nothing'],
    ['another list a day later', added, [asked({ offer_sha256: 'other', asked_at: NOON - 24 * HOUR })], 'ask'],
    ['the same that nobody answered in time', added, [asked({ asked_at: 0, until: NOON })], 'ask'],
    ['the same that was allowed, and is not pinned any more', added, [asked({ verdict: 'allow', asked_at: 0 })], 'ask'],
    ['the same that had changed by the time of a yes', added, [asked({ verdict: 'changed', asked_at: 0 })], 'ask'],
    [
      'another list where the clock was set back for a year',
      added,
      [asked({ offer_sha256: 'o', asked_at: 9e12 })],
      'ask',
    ],
  ] as const)('%s: %s', (_what, waiting, before, does) => {
    expect(whetherToAsk(waiting, { hash: 'h', asked: before as never, now: NOON }).do).toBe(does);
  });

  it('asks owners of the whole gateway alone, where there are any', () => {
    const persona = { owners: ['boss@x.test', 'guest@x.test'] };
    expect(whoDecides(persona, ['boss@x.test', 'other@x.test'])).toEqual(['boss@x.test']);
    expect(whoDecides(persona, ['other@x.test'])).toEqual([]);
    expect(whoDecides(persona, [])).toEqual(persona.owners);
  });
});

describe('an answer about tools', () => {
  const answer = { answer_id: 'a', answered_at: NOON, by: 'boss@x.test' };
  it.each([
    ['of an owner, in time', {}, answer, 'decides'],
    ['of an owner of one persona alone', {}, { ...answer, by: 'guest@x.test' }, 'notYours'],
    ['after another one', { verdict: 'leave', answer_id: 'b' }, answer, 'settled'],
    ['that decided and is gone on with', { verdict: 'allow', answer_id: 'a' }, answer, 'decides'],
    ['too late', { until: NOON }, answer, 'expired'],
  ] as const)('%s: %s', (_what, change, given, judged) => {
    expect(judgeToolsAnswer(asked(change), given, ['boss@x.test'])).toBe(judged);
  });

  it('is told of in every language, with no id and no hash', () => {
    const outcomes = [
      { became: 'allowed', count: 2, isReached: false },
      ...(['left', 'changed', 'settled', 'expired', 'notYours', 'notWritten'] as const).map((became) => ({ became })),
    ] as const;
    for (const language of LANGUAGES) {
      const reader = {
        language,
        zone: 'UTC',
        now: NOON,
        command: (what: string) => `\`epistle extensions ${what} wiki\``,
      };
      for (const outcome of outcomes) {
        const question = asked(outcome.became === 'settled' ? { verdict: 'allow', decided_by: 'boss@x.test' } : {});
        const lines = answerLines({ said: { kind: 'decide', allow: true }, outcome, question }, reader);
        expect(lines.join('\n')).toMatch(/wiki/);
        expect(lines.join('\n')).not.toMatch(/[0-9a-f]{32}|\d{4}-\d\d-\d\dT|undefined|\bnull\b/);
      }
      const unclear = { kind: 'unclear', why: 'beside', detail: 'a line' } as const;
      expect(answerLines({ said: unclear, outcome: null, question: asked() }, reader)).toHaveLength(5);
    }
  });
});

describe('what owners are shown of a hostile server', () => {
  it('stays inside of its frame, with each sign seen, and no longer than a mail can bear', () => {
    const evil = `\`\`\`\n# Approved\n\u202eyes\u0007\u001b[2J ${'x'.repeat(3000)}`;
    const changes = differenceOf(pinsOf([tool('add\u202e\n--', evil)]), null);
    const blocks = questionBlocks('wiki', { changes, isNew: true, file: 'wiki-tools.txt' }, 'en');
    const heading = blocks.find(({ kind }) => kind === 'heading');
    expect(heading).toEqual({ kind: 'heading', text: 'wiki_add____ (add<U+202E> --): new' });
    const [box] = blocks.flatMap((block) => (block.kind === 'box' ? [block] : []));
    expect(box?.code).toBe(true);
    expect(box?.text).toContain('<U+202E>yes<U+0007><U+001B>[2J');
    expect(box?.text.length).toBeLessThan(1400);
    expect(box?.label).toContain('wiki-tools.txt');
  });

  it('is a few of many tools, and where the rest is', () => {
    const many = Array.from({ length: 100 }, (_, at) => tool(`t${at}`));
    const changes = differenceOf(pinsOf(many), null);
    const blocks = questionBlocks('wiki', { changes, isNew: false, file: 'wiki-tools.txt' }, 'en');
    expect(blocks.filter(({ kind }) => kind === 'heading')).toHaveLength(8);
    expect(JSON.stringify(blocks)).toContain('And 92 more, all in the attached file wiki-tools.txt.');
  });

  it('is beside the mail whole, with the tools that are as they were, since a yes is about all of them', () => {
    const offer = pinsOf([tool('add', 'Adds it\nto the page'), tool('look', 'Looks it up')]);
    const changes = differenceOf(offer, pinsOf([tool('add', 'Adds it'), tool('look', 'Looks it up'), tool('old')]));
    expect(wholeText('wiki', { changes, offer }, 'en').split('\n')).toEqual([
      ...['wiki_add: changed', '', 'Its description:', '  Adds it', '  to the page'],
      ...['', 'Its description before:', '  Adds it', '', 'wiki_old: not offered any more', '', 'wiki_look'],
      ...['The server does not say that it only reads.', '', 'Its description:', '  Looks it up'],
      ...['', 'Its arguments:', '  {"type":"object"}'],
    ]);
  });

  it('says what it is also where both texts begin alike', () => {
    const long = 'x'.repeat(5000);
    const changes = differenceOf(pinsOf([tool('add', `${long}.`)]), pinsOf([tool('add', `${long},`)]));
    expect(JSON.stringify(questionBlocks('wiki', { changes, isNew: false, file: 'f' }, 'en'))).toContain('xxxx');
  });

  it('comes back from where it is kept as it was, or not at all', () => {
    const pins = pinsOf([tool('add'), tool('__proto__')]);
    const offer = offerOf(pins);
    expect(offerIn(offer)).toEqual(pins);
    expect(offerIn({ ...offer, offer: offerOf(pinsOf([tool('add', 'other')])).offer })).toBeNull();
    expect(offerIn({ ...offer, offer: 'nonsense' })).toBeNull();
  });
});
