export { Approvals, RememberedDecisions } from '@vitrine/react/components';
