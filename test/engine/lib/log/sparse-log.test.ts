import { expect, it } from 'vitest';
import type { Log } from '#contract';
import { sparseLog } from '../../../../engine/lib/log/log.ts';

it('L2: what strangers cause is logged so many times a minute, in bounded lines, and what was left out is counted', () => {
  const lines: { fields: object; message: string }[] = [];
  const time = { now: 0 };
  const write = (fields: object, message: string) => void lines.push({ fields, message });
  const whole: Log = { debug: write, info: write, warn: write, error: write, child: () => whole };
  const log = sparseLog(whole, () => time.now, 3);
  for (let n = 0; n < 10; n += 1) log.warn({ error: 'x'.repeat(5000), n }, 'smtp connection failed');
  log.warn({}, 'another');
  expect(lines.map(({ message }) => message)).toEqual([...Array(3).fill('smtp connection failed'), 'another']);
  expect(lines[0]?.fields).toEqual({ error: 'x'.repeat(2000), n: 0 });
  time.now = 60_000;
  log.warn({ n: 10 }, 'smtp connection failed');
  log.warn({ n: 11 }, 'smtp connection failed');
  expect(lines.slice(4).map(({ fields }) => fields)).toEqual([{ n: 10, left_out: 7 }, { n: 11 }]);
});
