import type { Persona } from '../../config/types.ts';
import { isWeak, refineSettings } from '../../learning/refine/model.ts';
import { learningOf } from '../../learning/settings.ts';
import { nearestOf } from '../../lib/text/nearest.ts';
import { stageTargets } from '../../models/stage.ts';
import { targetName } from '../../models/targets.ts';
import { targetOf } from '../gateway/provider-in-use.ts';
import type { QueryPorts } from '../ports.ts';
import { bad, type Check, fine, warn } from './check.ts';

/** Whether the model that is to write better playbooks can be asked; nothing of personas that learn nothing. */
export const refiningChecks = (ports: QueryPorts): Check[] =>
  [...ports.live.personas().all()].flatMap((entry) =>
    entry.state === 'ready' ? refiningCheck(ports, entry.persona) : [],
  );

function refiningCheck(ports: QueryPorts, persona: Persona): Check[] {
  const { inference, system } = ports.live.current();
  const learning = learningOf(persona, system);
  if (!learning.enabled) return [];
  const name = `learning:${persona.id}`;
  const settings = refineSettings(persona, inference, system);
  if (settings === null && !learning.auto_learn) return [fine(name, 'better playbooks come from owners alone')];
  if (settings === null)
    return [warn(name, 'no model is named that writes better playbooks: learning.refinement_model, or stages.refine')];
  const { providers } = ports.currentExtensions();
  const defaultModel = (provider: string) => providers.get(provider)?.defaultModel ?? 'default';
  const targets = stageTargets(settings, [targetOf(ports, persona)], defaultModel);
  const faults = targets.flatMap(({ provider }): Check[] => {
    const found = providers.get(provider);
    if (!found) {
      const nearest = nearestOf(provider, new Set(providers.all().map((one) => one.name)));
      const cure = nearest === null ? 'name one of `epistle providers list`' : `change it to ${nearest}`;
      return [bad(name, `no provider is called "${provider}"`, `${cure} (${placeOf(persona, learning)})`)];
    }
    const [missing] = found.missingSecrets();
    return missing === undefined
      ? []
      : [bad(name, `${missing} is not set, by which playbooks are made better`, `put ${missing}=… into .env`)];
  });
  if (faults.length > 0) return faults;
  if (targets.every(isWeak))
    return [warn(name, `${targets.map(targetName).join(', ')} is too small to write playbooks, and is not asked`)];
  return [fine(name, `better playbooks are written by ${targets.map(targetName).join(', ')}`)];
}

/** Where the model is named. */
function placeOf(
  { id, learning: own }: Persona,
  { refinement_model: named }: { refinement_model: string | null },
): string {
  if (named === null)
    return `stages.refine in configs/inference.json, or inference.stages.refine in personas/${id}/persona.json`;
  return `learning.refinement_model in ${own.refinement_model === undefined ? 'configs/system.json' : `personas/${id}/persona.json`}`;
}
