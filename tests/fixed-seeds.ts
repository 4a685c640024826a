import fc from 'fast-check';

// Every test run plays the same random cases, so that a red run can be repeated. The campaigns of `npm run prove…` set a
// PROVE_ variable and play new ones.
const isCampaign = Object.keys(process.env).some((name) => name.startsWith('PROVE_'));
if (!isCampaign) fc.configureGlobal({ seed: 1 });
