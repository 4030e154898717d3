import type ICAL from 'ical.js';

/** Values as the library reads them; it throws for what is none. */
export function valuesOfProperty(property: ICAL.Property): unknown[] {
  try {
    return property.getValues();
  } catch {
    return [];
  }
}

export const valuesOf = (component: ICAL.Component, name: string): unknown[] =>
  component.getAllProperties(name).flatMap(valuesOfProperty);
