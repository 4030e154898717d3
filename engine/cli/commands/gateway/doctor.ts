import { CRASH_POINTS, OTHER_CRASH_POINTS } from '../../../lib/crash-points.ts';
import { type Check, WARNING } from '../../../queries/doctor/check.ts';
import { examine } from '../../../queries/doctor/doctor.ts';
import { RUN_EVENT_TYPES } from '../../../record/events.ts';
import { defineCommand } from '../../command/define.ts';
import { createPaint, type Paint } from '../../text/paint.ts';

type Found =
  | { readonly checks: readonly Check[] }
  | { readonly crash_points: readonly string[]; readonly other: readonly string[] };

/** A run is over by the time its hooks are, so nothing dies at the event of one. */
const otherCrashPoints = (): readonly string[] => {
  const events = RUN_EVENT_TYPES.filter((type) => type !== 'hook_ended').map((type) => `run.event.${type}`);
  return [...new Set<string>([...OTHER_CRASH_POINTS, ...events])];
};

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'Look for what is wrong, with a cure for each',
  examples: [
    ['doctor', 'before the first mail, and whenever one was not answered'],
    ['doctor --harness', 'also when each part that governs runs was last at work'],
  ],
  options: {
    harness: {
      flags: '--harness',
      about: 'also tell of each part that governs runs which run exercised it last',
    },
    crashPoints: { flags: '--crash-points', about: 'only list the places where a test may kill the gateway' },
  },
  async run({ root, open }, { options }): Promise<Found> {
    if (options.crashPoints) return { crash_points: CRASH_POINTS, other: otherCrashPoints() };
    const checks = await examine({
      root,
      nodeVersion: process.versions.node,
      harness: options.harness === true,
      open: () => open({ tolerant: true }),
    });
    return { checks };
  },
  text(found, { settings, hint }) {
    if ('crash_points' in found)
      return [...found.crash_points, '', 'Not passed by every mail:', ...found.other].join('\n');
    const { checks } = found;
    const failed = checks.filter(({ ok }) => !ok);
    return [
      ...checks.map((check) => hint(line(check, createPaint(settings.noColor)))),
      '',
      failed.length === 0 ? 'Everything is fine.' : `${failed.length} of ${checks.length} checks failed.`,
    ].join('\n');
  },
  exitCode: (found) => ('checks' in found && found.checks.some(({ ok }) => !ok) ? 1 : 0),
});

function line({ name, ok, message, cure }: Check, paint: Paint): string {
  const good = message.startsWith(WARNING) ? 'warn' : paint('green', 'ok  ');
  const mark = ok ? good : paint('red', 'FAIL');
  return `${mark}  ${name}: ${message}${cure === null ? '' : `\n      ${cure}`}`;
}
