import { expect, it } from 'vitest';
import { instantIn } from '../../../engine/lib/schedule/zone.ts';
import { errorWith } from '../../extensions/tools/context.ts';

const at = (text: string, zone = 'Europe/Berlin') => new Date(instantIn(zone, text, 'since')).toISOString();

it.each([
  ['2026-05-01', '2026-04-30T22:00:00.000Z'],
  ['2026-12-01', '2026-11-30T23:00:00.000Z'],
  ['2026-05-01T09:30', '2026-05-01T07:30:00.000Z'],
  ['2026-05-01 09:30:15', '2026-05-01T07:30:15.000Z'],
  ['2026-05-01T09:30:00Z', '2026-05-01T09:30:00.000Z'],
  ['2026-05-01T09:30:00.250+02:00', '2026-05-01T07:30:00.250Z'],
  // The hour that never comes, when clocks are set forward.
  ['2026-03-29T02:30', '2026-03-29T01:00:00.000Z'],
])('takes %s for %s in Berlin', (text, expected) => expect(at(text)).toBe(expected));

it.each(['', 'yesterday', '2026-02-30', '2026-13-01', '2026-05', '01.05.2026', '2026-05-01T25:00', '9'.repeat(999)])(
  'does not take %s for a date',
  (text) => expect(() => at(text)).toThrow(errorWith('invalid_arguments')),
);
