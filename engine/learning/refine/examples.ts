import { canonicalJson } from '../../lib/json.ts';
import { type RecordedResult, readScenario, type Scenario, type ScenarioEffect } from '../../record/codec/scenario.ts';
import type { PlaybookScenario } from '../../storage/types/learning/playbooks.ts';

/** A run by which versions of a playbook are compared. */
export interface Example extends Scenario {
  readonly id: string;
  readonly verdict: PlaybookScenario['verdict'];
  readonly tainted: boolean;
}

/** Those of the rows that this version can read, in their order. */
export const examplesIn = (rows: readonly PlaybookScenario[]): readonly Example[] =>
  rows.flatMap(({ id, verdict, tainted, scenario_json }) => {
    const found = readScenario(scenario_json);
    return found === undefined ? [] : [{ ...found, id, verdict, tainted: tainted === 1 }];
  });

/** Two calls are the same where their texts differ in nothing but case and blanks. */
export const effectKey = ({ tool, arguments: args }: ScenarioEffect): string =>
  `${tool} ${canonicalJson(args)
    .toLowerCase()
    .replaceAll(/(?:\s|\\[nrt])+/g, ' ')}`;

export const brought = ({ results }: Pick<Scenario, 'results'>): readonly RecordedResult[] =>
  results.filter(({ ok }) => ok);
