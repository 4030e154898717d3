import { afterAll, afterEach } from 'vitest';
import { brokenGateways, gatewaysLeft, watchGateways } from './hosted-gateways.ts';

// What nobody caught in the process of hosted gateways fails the test that is under way, whatever that looks at.
const look = (): void => {
  const broken = brokenGateways();
  if (broken.length > 0) throw new Error(`the gateways of this test broke: ${broken.join('\n')}`);
};
watchGateways();
afterEach(look);

// Registered first, it comes after all that the file itself does in its end.
afterAll(async () => {
  const left = await gatewaysLeft();
  look();
  if (left.length > 0) throw new Error(`gateways still at work at the end of their file: ${left.join(', ')}`);
});
