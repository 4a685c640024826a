export { SessionList } from '@vitrine/react/components';
