import { EngineError } from '#contract';
import { type CallFigures, type Spent, type UsageReport, usageOf } from '../../../queries/usage.ts';
import { defineCommand } from '../../command/define.ts';
import { timeOf } from '../../command/time-option.ts';
import { atHere, zoneLine } from '../../text/local-time.ts';
import { table } from '../../text/table.ts';

const DEFAULT_DAYS = 30;

export const usage = defineCommand({
  name: 'usage',
  summary: 'Runs, tokens, money, for whom, and how calls went',
  options: {
    from: { flags: '--from <iso>', about: 'from this day or time on (default: 30 days ago)' },
    to: { flags: '--to <iso>', about: 'to before this day or time (default: now)' },
  },
  async run({ open }, { options }) {
    const workspace = open({ tolerant: true });
    const to = timeOf('--to', options.to) ?? workspace.clock.now();
    const from = timeOf('--from', options.from) ?? to - DEFAULT_DAYS * 86_400_000;
    if (from > to) throw new EngineError('usage', '--from lies after --to');
    return usageOf(workspace, from, to);
  },
  text: describe,
});

const seconds = (ms: number): string => (ms / 1000).toFixed(2);

const callRow = (name: string, { calls, failures, mean_ms: mean, slowest_ms: slowest }: CallFigures): string[] => [
  name,
  String(calls),
  String(failures),
  seconds(mean),
  seconds(slowest),
];

function describe({ from, to, total, by_persona, by_provider, by_tool, by_model }: UsageReport): string {
  const row = (name: string, { runs, model_calls, tokens, cost_usd, estimated }: Spent) => [
    name,
    String(runs),
    String(model_calls),
    String(tokens.input + tokens.output),
    // Tokens that cost nothing are of a model without a price here: what it costs is not known.
    cost_usd === 0 && tokens.input + tokens.output > 0 ? 'no price' : cost_usd.toFixed(4),
    estimated.share === 0 ? '' : `${Math.max(1, Math.round(estimated.share * 100))} %`,
  ];
  return [
    `From ${atHere(from)} to ${atHere(to)}: ${total.runs} ${total.runs === 1 ? 'run' : 'runs'}, ${total.cost_usd.toFixed(4)} USD`,
    '',
    table(
      ['WHO', 'RUNS', 'MODEL CALLS', 'TOKENS', 'USD', 'ESTIMATED'],
      [
        ...by_persona.map((one) => row(one.persona ?? '-', one)),
        ...by_provider.map((one) => row(one.provider ?? 'no model', one)),
      ],
      'Nothing was spent.',
    ),
    ...(by_tool.length + by_model.length === 0
      ? []
      : [
          '',
          table(
            ['CALLS OF', 'CALLS', 'FAILED', 'SECONDS ON AVERAGE', 'SLOWEST'],
            [...by_model.map((one) => callRow(one.model, one)), ...by_tool.map((one) => callRow(one.tool, one))],
            '',
          ),
        ]),
    zoneLine(),
  ].join('\n');
}
