import { describe, expect, it } from 'vitest';
import { unknownIdsIn } from '../../../../engine/harness/evidence/citations.ts';
import { limitationsOf } from '../../../../engine/harness/evidence/limitations.ts';
import { AT, resultsOf } from './evidence-of.ts';

const HOUR = 3_600_000;
const limits = (result: object, { now = AT, drifted = new Set<string>(), more = {} } = {}) =>
  limitationsOf(resultsOf({ c1: { result: JSON.parse(JSON.stringify(result)), more } }), { now, drifted }).map(
    ({ kind, source, detail }) => [kind, source, detail],
  );

describe('the limitations of a result', () => {
  it('are none where it is whole, new and unchanged', () => {
    expect(limits({ path: 'a.csv', text: 'x' })).toEqual([]);
  });

  it('are that it was cut, with how much was seen', () => {
    const more = { truncated: true, total_bytes: 9, cut: [{ at: 'text', total_lines: 90 }] };
    expect(limits({ path: 'big.log', text: 'a\nb' }, { more })).toEqual([['cut', 'big.log', '2 of 90 lines']]);
  });

  it.each([
    [{ next_offset: 400 }, 'cut'],
    [{ next_page: 2 }, 'cut'],
    [{ next_cursor: 'abc' }, 'cut'],
    [{ next_cursor: null }, undefined],
    [{ next: 'Tuesday' }, undefined],
    [{ next_page: { title: 'Contact' } }, undefined],
  ])('know a cursor by its name and kind: %j', (fields, kind) => {
    expect(limits({ path: 'a', ...fields })[0]?.[0]).toBe(kind);
  });

  it('are of when the data are, once that is longer ago than they stay fresh', () => {
    const of = (fields: object, hours: number) => limits({ path: 'q', ...fields }, { now: AT + hours * HOUR });
    expect(of({}, 23)).toEqual([]);
    expect(of({}, 25)).toEqual([['old', 'q', '2026-11-21 12:00 UTC']]);
    expect(of({ fresh_for_s: 60 }, 1)).toEqual([['old', 'q', '2026-11-21 12:00 UTC']]);
    expect(of({ as_of: '2026-11-01T08:00:00Z', fresh_for_s: 30 * 86_400 }, 1)).toEqual([]);
    expect(of({ data_until: '2026-11-01T08:00:00Z' }, 0)).toEqual([['old', 'q', '2026-11-01 08:00 UTC']]);
  });

  it('are that its source has changed since', () => {
    expect(limits({ path: 'p.md' }, { drifted: new Set(['c1']) })).toEqual([['drifted', 'p.md', null]]);
  });
});

describe('ids that an answer cites', () => {
  const evidence = resultsOf({ call_abc1: { result: { path: 'a.md' } } });
  it.each([
    ['It is so [call_abc1].', []],
    ['It is so [call_zzz9].', ['call_zzz9']],
    ['See (ref: toolu_77x) and (call_back).', ['toolu_77x']],
    ['See [1] and [2026].', []],
  ])('%s', (text, unknown) => {
    expect(unknownIdsIn(text, evidence, () => false)).toEqual(unknown);
  });

  it('are known where the model was shown them before', () => {
    expect(unknownIdsIn('As said [call_zzz9].', evidence, (id) => id === 'call_zzz9')).toEqual([]);
  });
});
