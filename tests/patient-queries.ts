import { configure } from '@testing-library/dom';

// What a page is to show is waited for as long as a busy machine takes to show it.
configure({ asyncUtilTimeout: 15_000 });
