/* A forced oscillator written with pointers that walk by constants, unary plus, nested parentheses and no spaces. */
#include <costate/model.h>
typedef double PetscScalar;
static int F(double t,const PetscScalar *x,const PetscScalar *p,PetscScalar *f){
  const PetscScalar *v=x+1,mu=*p,*force=p+2;
  *f=+*v;
  *(f+1)=((((mu*((1.-*x**x)**v)))))-p[1]*(*x)*(*x)*(*x)+force[0]*cos(force[1]*t);
  return(0);}
COSTATE_MODEL(duffing_vdp,.states=2,.params=4,.t0=0,.t1=20,.y0=COSTATE_VALUES(1.5,-.4),.p=COSTATE_VALUES(3.,.5,.25,1.1),.rhs=F)
