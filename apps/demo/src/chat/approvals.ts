export { Approvals } from '@vitrine/react/components';
