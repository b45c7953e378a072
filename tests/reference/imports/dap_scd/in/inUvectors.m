function inUvectors
    include_global
U0 = Unit_struct;
U3 = Unit_struct; U3.Bindex = 3; U3.ulocal = [2; 0];
Uvectors = [U0; U3];
