import { CRASH_POINTS, OTHER_CRASH_POINTS } from '../../lib/crash-points.ts';
import type { Check } from '../../queries/doctor/check.ts';
import { fileChecks } from '../../queries/doctor/files.ts';
import { harnessChecks, WARNING } from '../../queries/doctor/harness.ts';
import { insideChecks } from '../../queries/doctor/inside.ts';
import { networkChecks } from '../../queries/doctor/network.ts';
import { runningGateway } from '../../queries/gateway/running.ts';
import type { CommandContext, Outcome, Register } from '../command.ts';
import { createPaint } from '../text/paint.ts';

export const doctorCommand: Register = (program, act) => {
  program
    .command('doctor')
    .description('Look for what is wrong, with a cure for each')
    .option('--harness', 'also tell of each part that governs runs which run exercised it last')
    .option('--crash-points', 'only list the places where a test may kill the gateway')
    .action(act(doctor));
};

async function doctor(
  context: CommandContext,
  options: { crashPoints?: boolean; harness?: boolean },
): Promise<Outcome> {
  if (options.crashPoints) return crashPoints();
  const checks = fileChecks(context.root, process.versions.node);
  if (checks.some(({ name, ok }) => ok && name === 'workspace') && isWritable(checks)) {
    const workspace = context.open({ tolerant: true });
    checks.push(...(await insideChecks(workspace)));
    checks.push(...(await networkChecks(workspace, runningGateway(workspace))));
    if (options.harness) checks.push(...(await harnessChecks(workspace)));
  }
  const failed = checks.filter(({ ok }) => !ok);
  return {
    data: { checks },
    text: [
      ...checks.map((check) => line(check, createPaint(context.settings.noColor))),
      '',
      failed.length === 0 ? 'Everything is fine.' : `${failed.length} of ${checks.length} checks failed.`,
    ].join('\n'),
    exitCode: failed.length === 0 ? 0 : 1,
  };
}

/** Its being open to others is wrong, but nothing that keeps us from looking. */
const isWritable = (checks: readonly Check[]): boolean =>
  checks.some(({ name, ok, cure }) => name === 'data_dir' && (ok || cure?.startsWith('chmod')));

function line({ name, ok, message, cure }: Check, paint: ReturnType<typeof createPaint>): string {
  const good = message.startsWith(WARNING) ? 'warn' : paint('green', 'ok  ');
  const mark = ok ? good : paint('red', 'FAIL');
  return `${mark}  ${name}: ${message}${cure === null ? '' : `\n      ${cure}`}`;
}

const crashPoints = (): Outcome => ({
  data: { crash_points: CRASH_POINTS, other: OTHER_CRASH_POINTS },
  text: [...CRASH_POINTS, '', 'Not passed by every mail:', ...OTHER_CRASH_POINTS].join('\n'),
});
