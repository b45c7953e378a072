function inUvectors
    include_global
U0 = Unit_struct; U1 = Unit_struct; U1.Bindex = 1;
Uvectors = [U0; U1];
