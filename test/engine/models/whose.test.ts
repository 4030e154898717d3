import { describe, expect, it } from 'vitest';
import { EngineError, type ProviderCode, type Whose } from '#contract';
import { createVerdicts, whoseOf } from '../../../engine/models/whose.ts';

const TARGET = 'vendor/model';
const setUp = () => {
  const verdicts = createVerdicts();
  return {
    ...verdicts,
    fails: (run: string, whose: Whose = 'unclear', code: ProviderCode = 'unavailable') =>
      verdicts.judge({ target: TARGET, run, code, whose }),
    answers: (run: string) => verdicts.answered(TARGET, run),
  };
};

describe('a failure that may be the mail’s or the vendor’s', () => {
  it('is held against the mail while it is the only one, however often it fails', () => {
    const { fails } = setUp();
    expect([1, 2, 3, 4].map(() => fails('a'))).toEqual(Array.from({ length: 4 }, () => 'unclear'));
  });

  it('is the vendor’s as soon as a second mail fails alike, whatever mail came between', () => {
    const { fails } = setUp();
    fails('a');
    expect(fails('b')).toBe('vendor');
    expect(fails('a')).toBe('vendor');
  });

  it.each<ProviderCode>(['auth', 'no_credit', 'model_gone', 'bad_request'])(
    'is the owner’s to mend where a second mail meets %s as well',
    (code) => {
      const { fails } = setUp();
      fails('a', 'unclear', code);
      expect(fails('b', 'unclear', code)).toBe('setup');
    },
  );

  it('is the mail’s once another was answered after it, from then on', () => {
    const { fails, answers } = setUp();
    fails('a');
    answers('b');
    expect([fails('a'), fails('a')]).toEqual(['request', 'request']);
    // It bears no witness against others any more, nor is it the vendor's when that says so.
    expect(fails('c')).toBe('unclear');
    expect(fails('a', 'vendor')).toBe('request');
  });

  it('is nobody’s any more where the mail itself is answered', () => {
    const { fails, answers } = setUp();
    fails('a');
    answers('a');
    expect(fails('b')).toBe('unclear');
  });

  it('takes two more mails where a model that has answered others calls it a bad request', () => {
    const { fails, answers } = setUp();
    answers('before');
    expect(['a', 'b', 'c'].map((run) => fails(run, 'unclear', 'bad_request'))).toEqual(['unclear', 'unclear', 'setup']);
  });

  it('is the mail’s where it is refused thrice by a model that has answered others', () => {
    const { fails, answers } = setUp();
    answers('before');
    expect([1, 2, 3].map(() => fails('a', 'unclear', 'bad_request'))).toEqual(['unclear', 'unclear', 'request']);
  });

  it('is open again when something was mended', () => {
    const { fails, answers, forget } = setUp();
    fails('a');
    answers('b');
    forget();
    expect(fails('a')).toBe('unclear');
  });

  it('of one model tells nothing of another', () => {
    const { fails, judge } = setUp();
    fails('a');
    expect(judge({ target: 'vendor/other', run: 'b', code: 'unavailable', whose: 'unclear' })).toBe('unclear');
  });
});

describe('an adapter that knows nothing of whose a failure is', () => {
  it.each<[ProviderCode, Whose]>([
    ['bad_request', 'request'],
    ['context_overflow', 'request'],
    ['unparsable', 'request'],
    ['auth', 'unclear'],
    ['rate_limited', 'unclear'],
    ['unavailable', 'unclear'],
  ])('has its %s taken as one of the %s', (code, whose) => {
    expect(whoseOf(new EngineError(code, 'no'))).toBe(whose);
  });
});
