const SLOT_MS = 60_000;
const SLOTS = 60;
const HOUR_MS = SLOT_MS * SLOTS;
/** A gateway answers as much as this many of its busiest senders may ask for. */
const SENDERS = 100;

/** All the answers of this gateway within about an hour, over all personas. */
export interface Circuit {
  count(now: number): void;
  answers(now: number): number;
}

/**
 * Kept in memory: it is the last of three breakers, those of a thread and of a sender stand in rows. Loops that keep
 * changing their sender and their thread meet only this one.
 */
export function createCircuit(): Circuit {
  const slots = Array.from({ length: SLOTS }, () => ({ begins: 0, answers: 0 }));
  return {
    count(now) {
      const begins = now - (now % SLOT_MS);
      const slot = slots[(begins / SLOT_MS) % SLOTS];
      if (!slot) return;
      slot.answers = slot.begins === begins ? slot.answers + 1 : 1;
      slot.begins = begins;
    },
    answers: (now) =>
      slots.reduce((sum, slot) => (Math.abs(now - slot.begins) < HOUR_MS ? sum + slot.answers : sum), 0),
  };
}

/** 0: off, as the limit of one sender is. */
export const answersAnHour = (perSender: number): number => perSender * SENDERS;
